/** The durable record of a running turn: what its loops ask of it, and what they write, frame by frame. Rules: DU12, CK2, CK3. */
import type { ApprovalRequest } from "./approval.ts";
import type { LoopCall, CallOutcome, ModelCall, PreparedRow, StoredBatchCall, StoredResult } from "./call.ts";
import type { FrameSeal } from "./frame-seal.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantEntry, HistoryEntry, NoteEntry, UserEntry } from "./message.ts";
import type { Charge, ChargeEnd } from "./ports.ts";
import type { LastReceipt, ReceiptBody } from "./receipt.ts";
import type { ResultRange, ResultSlice, ToolMemory } from "./tool.ts";
import type { ToolRun } from "./text-check.ts";
import type { TurnEvent } from "./turn-event.ts";
import type { IssuedReceipt, TurnEnd, TurnEndReason, TurnSummary } from "./turn.ts";

/** How a loop stands, as plain versioned JSON (CK2); of two of one turn the one with the higher number was taken later. */
export interface LoopCheckpoint {
  readonly n: number;
  /** Written as JSON at once: it shares its parts with the loop. */
  readonly body: object;
}

/** What a frame was opened with, and stays with to its end. */
export interface FrameRecord {
  readonly agent: string;
  /** Frames above it: 0 for the turn's own. */
  readonly depth: number;
  /** Of a delegate: who called it, and the ids of the calls that led there, outermost first (EV10, AP20). */
  readonly parentAgent?: string;
  readonly parentCalls?: readonly string[];
  /** Knobs, lists and hidden tools that it is pinned to (RX7), versioned like a checkpoint. */
  readonly pinned: JsonObject;
}

/** Where the rows say that a frame is. */
export interface FrameRows {
  readonly record: FrameRecord;
  /** Of its last model request; absent before the first. */
  readonly step?: FrameStep;
  readonly checkpoint?: JsonObject;
  /** Once a delegate's frame has ended. */
  readonly outcome?: JsonObject;
}
export interface FrameStep {
  readonly step: number;
  readonly attempt: number;
  /** `asked`: no whole answer came. `answered`: its round is not in history yet. `closed`: what it came to is in history. */
  readonly state: "asked" | "answered" | "closed";
}

/** What a frame asks its rows. */
export interface TurnReads {
  /** Everything the model may be told, oldest first, within the context bound (DU3). */
  history(): readonly HistoryEntry[];
  /** The frame as its rows have it; absent before it was opened. */
  readFrame(): FrameRows | undefined;
  /** The newest checkpoint of the turn, whichever frame took it: what frames share is as it says. */
  turnCheckpoint(): JsonObject | undefined;
  /** Receipts of the turn so far, in the order of execution. */
  issuedReceipts(): readonly IssuedReceipt[];
  /** The turn's frames that have begun and not ended, the turn's own among them. */
  openFrames(): readonly FrameRows[];
  /** The response of a committed step whose round is not in history yet. */
  stepResponse(step: number): { readonly message: AssistantEntry; readonly finishReason: string };
  /** The calls of a committed step in model order, as their rows are now. */
  batchCalls(step: number): readonly StoredBatchCall[];
  /** Whether "always" stands for this agent, tool and definition in this conversation (AP14). */
  isRemembered(grant: { readonly agent: string; readonly tool: string; readonly definitionHash: string }): boolean;
  /** The tools that this agent has activated in this conversation, oldest first (TS15). */
  activated(agent: string): readonly Activation[];
  /** True when steering waits. */
  hasSteering(): boolean;
  /** Of the turn's scope; `undefined` while it has none. */
  lastReceipt(): LastReceipt | undefined;
  /** The body stored with exactly this token in the turn's scope. */
  findReceipt(token: string): ReceiptBody | undefined;
  /** Calls of the turn that have ended, of all its frames, for the claim check. */
  toolRuns(): readonly ToolRun[];
  /** A range of a stored raw result of this conversation (BD9). */
  readResult(range: ResultRange): ResultSlice | undefined;
  /** Once a cancel was asked for, by what. */
  cancelReason(): "cancel" | "interrupt" | undefined;
}

/**
 * The durable record of one frame of a running turn. Each method is one synchronous transaction (T3–T12): when it returns, either all of it
 * or none of it will survive, and `durable()` resolves once it does. Events given to a method are written with it and sent after.
 */
export interface TurnJournal extends TurnReads {
  /** From now on each step is written with how the loop then stands (T3, T5, T6, T10, T11). */
  follow(checkpoint: () => LoopCheckpoint): void;
  /** The frame begins: what it is pinned to, and for a delegate's what it was asked. */
  openFrame(record: FrameRecord, entries: readonly HistoryEntry[]): void;
  /** The journal of the delegate's frame that this call opens, or has opened. */
  delegateFrame(callId: string): TurnJournal;
  /** A delegate's frame has come to its end; the turn goes on in its caller's. */
  endFrame(outcome: JsonObject, left: FrameLeft): void;
  /** It may not go on: it is closed as its rows have it, and so are the frames below it. */
  closeFrame(outcome: JsonObject, seal: FrameSeal): void;
  /** T3: a model request is about to be made. */
  openStep(step: { readonly step: number; readonly attempt: number }): void;
  /** T3 of a call that costs: from here on it may be sent, and is charged in full unless `closeCharge` says otherwise. */
  openCharge(charge: Charge): void;
  /** Its end. The first one stands. */
  closeCharge(reservation: string, end: ChargeEnd): void;
  /** T4 and other events that stand alone. */
  appendEvents(events: readonly TurnEvent[]): void;
  /** T5: a response was accepted whole; its calls are proposed with their ids. */
  commitResponse(response: CommittedResponse): void;
  /** T6: calls settled before they could run, each with its event pair, in call order. */
  settleUnrun(calls: readonly UnrunCall[]): void;
  /** T6 for a batch that may be left open in its middle: what may run is `ready`, as prepared and judged. */
  readyCalls(rows: readonly PreparedRow[]): void;
  /** T6 when somebody must decide: calls settled in preparation, the rest `ready` or `awaiting_approval`, and the approvals, in one step. */
  askApprovals(asking: ApprovalAsking): void;
  /** T10: only client calls are left; they are `started` (offered). */
  offerCalls(offering: ClientOffering): void;
  /**
   * The end of T6 and T10, once no frame runs any more: with something open the turn is `suspended`. False, with nothing written,
   * when all was decided meanwhile: the turn goes on from its rows.
   */
  suspend(toEvent: (open: OpenItems) => TurnEvent): boolean;
  /** Adds to them what the turn starts with; those that are there keep their place (TS10). */
  activate(activations: readonly Activation[]): void;
  /** From now on no request of this conversation to that provider has the tool (SC8). */
  barTool(barred: BarredTool): void;
  /** T3, with the step: steering that waits is consumed and enters history, each message with its event. */
  takeSteering(toEvent: (text: string) => TurnEvent): readonly UserEntry[];
  /**
   * T8: the fence. Writes the `started` row and the `tool_call` event if the call may still start;
   * false means it may not, and nothing was written.
   */
  startCall(start: CallStart): boolean;
  /** Resolves when all that was written is durable; rejects if it never will be. No effect before that (DU14). */
  durable(): Promise<void>;
  /** T9: a started call ended; raw result, receipt, slot and `tool_result` event together. False if it was settled already. */
  settleCall(settlement: CallSettlement): boolean;
  /** T11: a whole round enters history. */
  appendRound(round: Round): void;
  /** Notes for the model that belong to no round. */
  appendNotes(notes: readonly NoteEntry[]): void;
  /** T12: the turn's one end. False if it had ended already. */
  finish(end: TurnFinish): boolean;
  /** What this agent was told to remember in this conversation (TC33). */
  memory(agent: string): ToolMemory;
}

/** `definitionHash` stands for the tool: it covers the name, and a definition that was mended is another. */
export interface BarredTool {
  readonly provider: string;
  readonly definitionHash: string;
}

export interface CommittedResponse {
  readonly step: number;
  readonly message: AssistantEntry;
  readonly finishReason: string;
  readonly calls: readonly ModelCall[];
  readonly events: readonly TurnEvent[];
}
export interface UnrunCall {
  readonly call: ModelCall;
  readonly outcome: CallOutcome;
  /** When the loop detector kept it from running (LC11). */
  readonly blocked?: LoopCall;
  readonly events: readonly [TurnEvent, TurnEvent];
}
export interface ApprovalAsking {
  readonly step: number;
  readonly settled: readonly UnrunCall[];
  readonly prepared: readonly PreparedRow[];
  readonly approvals: readonly ApprovalRequest[];
  /** `approval_requested` in call order. */
  readonly events: readonly TurnEvent[];
}
export interface ClientOffering {
  readonly step: number;
  readonly calls: readonly { readonly prepared: PreparedRow; readonly expiresAt: number }[];
  readonly events: readonly TurnEvent[];
}
/** What a turn waits for, over all its frames. */
export interface OpenItems {
  readonly approvalIds: readonly string[];
  /** Of the calls that are asked about, or offered to the client. */
  readonly callIds: readonly string[];
  readonly reason: "approval" | "client_tool";
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
  /** What else its result makes true, as events behind its own. */
  readonly further?: readonly TurnEvent[];
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
  /** What was found when the round was looked at as a whole. */
  readonly events?: readonly TurnEvent[];
}
/** What the end of a delegate's frame leaves behind. */
export interface FrameLeft {
  readonly entries: readonly HistoryEntry[];
  readonly events: readonly TurnEvent[];
}
export interface TurnFinish {
  readonly state: TurnEnd;
  readonly reason?: TurnEndReason;
  readonly summary: TurnSummary;
  /** What the end leaves in history: final or partial text, notices. */
  readonly entries: readonly HistoryEntry[];
  readonly events: readonly TurnEvent[];
}
