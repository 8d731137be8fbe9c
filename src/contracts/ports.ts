/** What the core asks of its surroundings: time, chance, digests, cancellation, a log, and a durable journal. */
import type { ApprovalRequest } from "./approval.ts";
import type { CallAnnouncement, CallOutcome, ModelCall, PreparedRow, StoredBatchCall, StoredResult } from "./call.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantEntry, HistoryEntry, NoteEntry, UserEntry } from "./message.ts";
import type { ReceiptHead } from "./receipt.ts";
import type { ResultRange, ResultSlice } from "./tool.ts";
import type { TurnEvent, TurnEventBody } from "./turn-event.ts";
import type { TurnEnd, TurnEndReason, TurnSummary } from "./turn.ts";

/** The part of `AbortSignal` the core may see; an `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
export interface CancelScope {
  readonly signal: CancelSignal;
  cancel(): void;
}

/** Lower-case hex SHA-256. Large inputs come back as a promise from the platform; small ones at once. */
export type DigestPort = (bytes: Uint8Array) => string | Promise<string>;

export type LogLevel = "debug" | "info" | "warn" | "error";
/** One structured line: a stable code and fields of ids and enums, never content (SE73). */
export type LogPort = (level: LogLevel, code: string, fields?: JsonObject) => void;

export interface SystemPorts {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly uuid: () => string;
  readonly digest: DigestPort;
  readonly createCancelScope: () => CancelScope;
  /** Runs `act` once after `ms`; the returned function takes it back. */
  readonly startTimer: (ms: number, act: () => void) => () => void;
  readonly log: LogPort;
}

/**
 * The durable record of one running turn. Each method is one synchronous transaction (T3–T12): when it returns, either all of it
 * or none of it will survive, and `durable()` resolves once it does. Events given to a method are written with it and sent after.
 */
export interface TurnJournal {
  /** Everything the model may be told, oldest first, within the context bound (DU3). */
  history(): readonly HistoryEntry[];
  /** T3: a model request is about to be made. */
  openStep(step: { readonly step: number; readonly attempt: number }): void;
  /** T4 and other events that stand alone. */
  appendEvents(events: readonly TurnEvent[]): void;
  /** T5: a response was accepted whole; its calls are proposed with their ids. */
  commitResponse(response: CommittedResponse): void;
  /** T6: calls settled before they could run, each with its event pair, in call order. */
  settleUnrun(calls: readonly UnrunCall[]): void;
  /**
   * T6 when somebody must decide: calls settled in preparation, the rest `ready` or `awaiting_approval`, the approvals, the checkpoint
   * and `turn_suspended`, in one step. The turn is `suspended` afterwards.
   */
  suspendForApproval(suspension: ApprovalSuspension): void;
  /** T10: only client calls are left; they are `started` (offered), the turn is `suspended`. */
  suspendForClient(suspension: ClientSuspension): void;
  /** The assistant message of a committed step whose round is not in history yet. */
  stepMessage(step: number): AssistantEntry;
  /** The calls of a committed step in model order, as their rows are now. */
  batchCalls(step: number): readonly StoredBatchCall[];
  /** Whether "always" stands for this agent, tool and definition in this conversation (AP14). */
  isRemembered(grant: { readonly agent: string; readonly tool: string; readonly definitionHash: string }): boolean;
  /** The tools that this agent has activated in this conversation, oldest first (TS15). */
  activated(agent: string): readonly Activation[];
  /** Adds to them what the turn starts with; those that are there keep their place (TS10). */
  activate(activations: readonly Activation[]): void;
  /** T3, with the step: steering that waits is consumed and enters history, each message with its event. */
  takeSteering(toEvent: (text: string) => TurnEvent): readonly UserEntry[];
  /** True when steering waits. */
  hasSteering(): boolean;
  /**
   * T8: the fence. Writes the `started` row and the `tool_call` event if the call may still start;
   * false means it may not, and nothing was written.
   */
  startCall(start: CallStart): boolean;
  /** Resolves when all that was written is durable; rejects if it never will be. No effect before that (DU14). */
  durable(): Promise<void>;
  /** Where the next receipt of the turn's scope goes. */
  receiptHead(): ReceiptHead;
  /** T9: a started call ended; raw result, receipt, slot and `tool_result` event together. False if it was settled already. */
  settleCall(settlement: CallSettlement): boolean;
  /** T11: a whole round enters history. */
  appendRound(round: Round): void;
  /** Notes for the model that belong to no round. */
  appendNotes(notes: readonly NoteEntry[]): void;
  /** T12: the turn's one end. False if it had ended already. */
  finish(end: TurnFinish): boolean;
  /** A range of a stored raw result of this conversation (BD9). */
  readResult(range: ResultRange): ResultSlice | undefined;
  /** True once a cancel was asked for. */
  cancelled(): boolean;
}

export interface CommittedResponse {
  readonly step: number;
  readonly message: AssistantEntry;
  readonly calls: readonly ModelCall[];
  readonly events: readonly TurnEvent[];
}
export interface UnrunCall {
  readonly call: ModelCall;
  readonly outcome: CallOutcome;
  readonly announcement: CallAnnouncement;
  readonly events: readonly [TurnEvent, TurnEvent];
}
export interface ApprovalSuspension {
  readonly step: number;
  readonly settled: readonly UnrunCall[];
  readonly prepared: readonly PreparedRow[];
  readonly approvals: readonly ApprovalRequest[];
  /** Plain versioned JSON (CK2). */
  readonly checkpoint: JsonObject;
  /** `approval_requested` in call order, then `turn_suspended`. */
  readonly events: readonly TurnEvent[];
}
export interface ClientSuspension {
  readonly step: number;
  readonly calls: readonly { readonly prepared: PreparedRow; readonly expiresAt: number }[];
  readonly checkpoint: JsonObject;
  readonly events: readonly TurnEvent[];
}
export interface CallStart {
  readonly call: ModelCall;
  /** Real name of the tool that runs; absent: the one that the call asked for. */
  readonly tool?: string;
  readonly definitionHash: string;
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly idempotencyKey?: string;
  readonly event: TurnEvent;
}
export interface CallSettlement {
  readonly call: ModelCall;
  readonly outcome: CallOutcome;
  readonly result: StoredResult;
  readonly event: TurnEvent;
  /** What the call loaded: in the set exactly if the settlement is stored (DM7). */
  readonly activated?: readonly Activation[];
}
/** One entry of an agent's ActivatedToolSet; `tool` is the real name, the hash that of the definition it was loaded with. */
export interface Activation {
  readonly agent: string;
  readonly tool: string;
  readonly definitionHash: string;
}
export interface Round {
  readonly step: number;
  readonly entries: readonly HistoryEntry[];
}
export interface TurnFinish {
  readonly state: TurnEnd;
  readonly reason?: TurnEndReason;
  readonly summary: TurnSummary;
  /** What the end leaves in history: final or partial text, notices. */
  readonly entries: readonly HistoryEntry[];
  readonly events: readonly TurnEvent[];
}

/** Gives a body the context of its turn; steps make events through this alone. */
export type MakeEvent = (body: TurnEventBody) => TurnEvent;
