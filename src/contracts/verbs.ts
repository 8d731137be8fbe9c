/** What the edge may ask of a conversation object, and what it answers: the RPC surface, additive only (DU40). */
import type { Approval, DecisionInput } from "./approval.ts";
import type { AuditEntry, AuditHead, AuditVerdict } from "./audit.ts";
import type { JsonObject } from "./json.ts";
import type { Problem } from "./errors.ts";
import type { InputPart } from "./message.ts";
import type { ReceiptClaim, ReceiptVerdict, SignedReceipt } from "./receipt.ts";
import type { Result } from "./result.ts";
import type { ToolResult } from "./tool.ts";
import type { Principal, TurnRecord, TurnRequest, TurnSummary } from "./turn.ts";

/** Who asks, and of which conversation; the object compares both with its owner row on every entry (SE17). */
export interface Caller {
  readonly principal: Principal;
  readonly conversation: string;
  readonly requestId: string;
}

export interface CreateConversation {
  readonly agent?: string;
  readonly metadata?: JsonObject;
}
export interface ConversationView {
  readonly id: string;
  readonly agent: string;
  readonly metadata?: JsonObject;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface StartTurn {
  readonly request: TurnRequest;
  readonly idempotencyKey?: string;
  /** Digest of the canonical body: a post that comes again is told by it, with a key and without (G1). */
  readonly fingerprint: string;
  /**
   * `Last-Event-ID` of a post that comes again: it attaches to the key's turn, without a key to the turn of that event if the
   * same body made it, or is `resume-mismatch`; it starts none (SS11).
   */
  readonly resumeAfter?: number;
}
export interface AcceptedTurn {
  readonly turn: TurnRecord;
  /** The turn's first event is the one after this `seq`. */
  readonly after: number;
  /** True when an earlier post with the same key made it. */
  readonly repeated: boolean;
}
export interface TurnView {
  readonly turn: TurnRecord;
  readonly summary?: TurnSummary;
  /** While the turn is suspended. */
  readonly openRequests?: OpenRequests;
}

/** Whom a suspended turn waits for. */
export interface OpenRequests {
  readonly approvals: readonly ApprovalView[];
  readonly clientCalls: readonly OfferedCall[];
}

/** A call that the client is to run. `expiresAt` is epoch milliseconds. */
export interface OfferedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly expiresAt: number;
}

export interface EventPageQuery {
  readonly turn?: string;
  readonly after: number;
  readonly limit: number;
  /** Seconds to wait for the first event after the cursor; 0 answers at once. */
  readonly waitSecs: number;
}
/** `events` are the logged lines of JSON, joined by commas into one array text by whoever renders them. */
export interface EventPage {
  readonly events: readonly string[];
  readonly nextAfter: number;
  /** False when the turn asked for has ended and nothing more will come. */
  readonly live: boolean;
}

export interface ReceiptView {
  readonly receipt: SignedReceipt;
  readonly callId: string;
  /** Place in the conversation, from 1, which pages go by. */
  readonly n: number;
}

export interface AuditQuery {
  readonly after: number;
  readonly limit: number;
  /** Whether the whole chain is walked, too. */
  readonly verify: boolean;
}
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Of the whole chain. */
  readonly head: AuditHead;
  readonly verdict?: AuditVerdict;
}

export interface ApprovalView extends Approval {
  /** Place among all approvals of the conversation, from 1, which pages go by. */
  readonly n: number;
}

/** What a client says one of its tools came to (TC27). */
export interface ClientToolResult {
  readonly callId: string;
  readonly result: ToolResult;
}

/** RPC verbs; byte streams (events, raw results) go by `fetch` to the object's router instead. */
export interface ConversationVerbs {
  createConversation(caller: Caller, create: CreateConversation): Promise<Result<ConversationView, Problem>>;
  readConversation(caller: Caller): Promise<Result<ConversationView, Problem>>;
  startTurn(caller: Caller, start: StartTurn): Promise<Result<AcceptedTurn, Problem>>;
  readTurn(caller: Caller, turn: string): Promise<Result<TurnView, Problem>>;
  listTurns(caller: Caller, page: { before?: number; limit: number }): Promise<Result<readonly TurnView[], Problem>>;
  /** Waits until the turn has ended or `waitSecs` have passed. */
  awaitTurn(caller: Caller, turn: string, waitSecs: number): Promise<Result<TurnView, Problem>>;
  /** The turn as it is once the cancel is durable; `turn-finished` when it had come to another end. */
  cancelTurn(caller: Caller, turn: string): Promise<Result<TurnView, Problem>>;
  /** `turn-not-running` when the turn has not begun or has ended (LC26). */
  steerTurn(caller: Caller, turn: string, input: readonly InputPart[]): Promise<Result<TurnView, Problem>>;
  /** All or none; `tool-result-conflict` names each call that takes no result (TC28). */
  postToolResults(
    caller: Caller,
    turn: string,
    results: readonly ClientToolResult[],
  ): Promise<Result<TurnView, Problem>>;
  /** Newest first. */
  listApprovals(
    caller: Caller,
    page: { before?: number; limit: number },
  ): Promise<Result<readonly ApprovalView[], Problem>>;
  /** The approval as it stands, also when the same decision was made before (SE22). */
  decideApproval(caller: Caller, approvalId: string, decision: DecisionInput): Promise<Result<ApprovalView, Problem>>;
  readEvents(caller: Caller, query: EventPageQuery): Promise<Result<EventPage, Problem>>;
  listReceipts(
    caller: Caller,
    page: { after: number; limit: number },
  ): Promise<Result<readonly ReceiptView[], Problem>>;
  readReceipt(caller: Caller, token: string): Promise<Result<ReceiptView, Problem>>;
  readAudit(caller: Caller, query: AuditQuery): Promise<Result<AuditPage, Problem>>;
  verifyReceipt(caller: Caller, claim: ReceiptClaim): Promise<Result<ReceiptVerdict, Problem>>;
}
