/** What the edge may ask of a conversation object, and what it answers: the RPC surface, additive only (DU40). */
import type { JsonObject } from "./json.ts";
import type { Problem } from "./errors.ts";
import type { ReceiptClaim, ReceiptVerdict, SignedReceipt } from "./receipt.ts";
import type { Result } from "./result.ts";
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
  /** Idempotency key and the digest of the canonical body (G1). */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
  /** `Last-Event-ID` of a post that comes again: it attaches to the key's turn or is `resume-mismatch`, and starts none (SS11). */
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
  /** Place in the conversation, from 1, which pages go by; absent when it is the receipt's own `seq`. */
  readonly n?: number;
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
  readEvents(caller: Caller, query: EventPageQuery): Promise<Result<EventPage, Problem>>;
  listReceipts(
    caller: Caller,
    page: { after: number; limit: number },
  ): Promise<Result<readonly ReceiptView[], Problem>>;
  readReceipt(caller: Caller, token: string): Promise<Result<ReceiptView, Problem>>;
  verifyReceipt(caller: Caller, claim: ReceiptClaim): Promise<Result<ReceiptVerdict, Problem>>;
}
