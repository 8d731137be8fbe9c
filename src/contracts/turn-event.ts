/** TurnEvent: everything a turn says to whoever watches it, before framing. Rules: EV1–EV10, events of `http.md`. */
import type { ApprovalDecision, ApprovalProvenance } from "./approval.ts";
import type { Artifact, CallOrigin, Disposition } from "./call.ts";
import type { JsonValue } from "./json.ts";
import type { TextCheck } from "./text-check.ts";
import type { Risk, ToolOrigin } from "./tool.ts";
import type { TurnEntry, TurnSummary, TurnUsage } from "./turn.ts";

/** What every event of a turn carries beside its own fields; `seq` and `at` are given by the log when the row is written. */
export interface EventContext {
  readonly turn: string;
  readonly agent: string;
  readonly channel: string;
  readonly iteration?: number;
  /** In a delegate's frame: who called it, and through which calls (EV10). */
  readonly parentAgent?: string;
  readonly parentCalls?: readonly string[];
}

/** What a running call tells of itself. It is no event of the log: nobody who comes later is told of it (TC12). */
export interface ToolProgress extends EventContext {
  readonly type: "tool_progress";
  readonly callId: string;
  readonly data: JsonValue;
}

interface CallRef {
  readonly callId: string;
  readonly tool: string;
}

export type TurnEventBody =
  | { readonly type: "turn_accepted"; readonly input: string; readonly entry: TurnEntry }
  | { readonly type: "turn_started"; readonly input: string; readonly entry: TurnEntry }
  | { readonly type: "text_delta"; readonly text: string; readonly messageId: string }
  | { readonly type: "reasoning_delta"; readonly text?: string; readonly messageId: string }
  | (CallRef & {
      readonly type: "tool_call";
      readonly providerCallId?: string;
      readonly toolOrigin: ToolOrigin | null;
      readonly arguments: JsonValue;
      readonly origin: CallOrigin;
      readonly index: number;
    })
  | (CallRef & {
      readonly type: "tool_result";
      readonly origin: CallOrigin;
      readonly disposition: Disposition | null;
      readonly success: boolean;
      readonly output: string;
      readonly chars: number;
      readonly truncated: boolean;
      readonly durationMs: number;
      readonly receipt?: string;
      readonly data?: JsonValue;
      /** The data did not fit the tool's output schema, and is left out. */
      readonly outputSchemaMismatch?: true;
      readonly artifact?: Artifact;
    })
  | (CallRef & {
      readonly type: "approval_requested";
      readonly approvalId: string;
      readonly toolOrigin: ToolOrigin;
      readonly arguments: JsonValue;
      readonly argumentsSummary: string;
      readonly risk: Risk;
      /** Epoch milliseconds here, ISO 8601 on the wire. */
      readonly expiresAt: number;
    })
  | (CallRef & {
      readonly type: "approval_decided";
      readonly approvalId: string;
      /** Null when nobody decided: it expired, was cancelled, or nobody could be asked. */
      readonly decision: ApprovalDecision | null;
      readonly provenance: ApprovalProvenance;
      readonly decidedBy?: string;
    })
  | (CallRef & {
      readonly type: "client_tool_requested";
      readonly toolOrigin: ToolOrigin;
      /** Exact: the client runs them (RE20). */
      readonly arguments: JsonValue;
    })
  | {
      readonly type: "turn_suspended";
      readonly reason: "approval" | "client_tool";
      readonly approvalIds: readonly string[];
      readonly callIds: readonly string[];
    }
  | { readonly type: "turn_resumed"; readonly reason: "approval" | "client_tool" }
  | { readonly type: "steering"; readonly text: string }
  | { readonly type: "model_switched"; readonly from: string; readonly to: string }
  | { readonly type: "plan"; readonly todos: JsonValue }
  | {
      readonly type: "loop_warning";
      readonly level: "warn" | "block" | "break";
      readonly pattern: "exact_repeat" | "ping_pong" | "no_progress" | "identical_output";
      readonly tool: string;
      readonly count: number;
    }
  | { readonly type: "provider_retry"; readonly attempt: number; readonly reason: string }
  | {
      readonly type: "history_trimmed";
      readonly droppedMessages: number;
      readonly keptTurns: number;
      readonly reason: "context_budget" | "message_limit" | "overflow";
    }
  | ({ readonly type: "usage"; readonly finishReason: string } & TurnUsage)
  | {
      readonly type: "turn_recovered";
      readonly attempt: number;
      readonly calls: readonly { readonly callId: string; readonly disposition: Disposition }[];
    }
  | { readonly type: "message_reset"; readonly messageId: string }
  | ({ readonly type: "receipt_check" } & TextCheck)
  | ({ readonly type: "turn_finished" } & TurnSummary);

export type TurnEventType = TurnEventBody["type"];
export type TurnEvent = EventContext & TurnEventBody;

/** What the log adds to an event when it writes the row. `at` is epoch milliseconds. */
export interface EventPlace {
  readonly seq: number;
  readonly at: number;
  readonly conversation: string;
}

/** An event as its row holds it: `body` is the one line of JSON that every reader gets, byte for byte (EV1, SE70). */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: TurnEventType;
  readonly body: string;
}
