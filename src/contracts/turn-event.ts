/** TurnEvent: everything a turn says to whoever watches it, before framing. Rules: EV1–EV10, events of `http.md`. */
import type { Artifact, CallOrigin, Disposition } from "./call.ts";
import type { JsonValue } from "./json.ts";
import type { ToolOrigin } from "./tool.ts";
import type { IssuedReceipt, TurnEnd, TurnEndReason, TurnEntry, TurnUsage } from "./turn.ts";

/** What every event of a turn carries beside its own fields; `seq` and `at` are given by the log when the row is written. */
export interface EventContext {
  readonly turn: string;
  readonly agent: string;
  readonly channel: string;
  readonly iteration?: number;
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
      readonly artifact?: Artifact;
    })
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
  | {
      readonly type: "turn_finished";
      readonly outcome: TurnEnd;
      readonly reason?: TurnEndReason;
      readonly finishReason?: string;
      readonly text: string;
      readonly usage: TurnUsage;
      readonly iterations: number;
      readonly receipts: readonly IssuedReceipt[];
    };

export type TurnEventType = TurnEventBody["type"];
export type TurnEvent = EventContext & TurnEventBody;

/** An event as its row holds it: `body` is the one line of JSON that every reader gets, byte for byte (EV1, SE70). */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: TurnEventType;
  readonly body: string;
}
