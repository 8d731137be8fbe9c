/** What a tenant's object keeps and answers: its RPC surface, plain JSON, additive only. Rules: G16, G17, DU38, DU40, DU42. */
import type { FinalRecord } from "./audit.ts";
import type { ApprovalState } from "./approval.ts";
import type { Problem } from "./errors.ts";
import type { Result } from "./result.ts";
import type { ApprovalView } from "./verbs.ts";

/** Whose conversation asks; the object compares the tenant with its own on every entry (SE17). */
export interface ConversationOwner {
  readonly tenant: string;
  readonly conversation: string;
}

/** The part of `limits.tenant` that is judged when a turn or a conversation comes in. */
export interface AdmissionLimits {
  readonly turnsPerMinute: number;
  readonly maxRunningTurns: number;
  readonly maxQueuedTurns: number;
  readonly maxPendingApprovals: number;
  readonly maxConversations: number;
}
/** US dollars that the tenant may spend, each more than 0. */
export interface BudgetLimits {
  /** Per UTC day. */
  readonly dailyLimitUsd: number;
  /** Per UTC month. */
  readonly monthlyLimitUsd: number;
}

/** A turn that wants to begin, or a conversation without one. */
export interface AdmissionRequest {
  /** The conversation's agent, should it be new. */
  readonly agent: string;
  /** Id that the turn will have; absent when only a conversation is made. */
  readonly turn?: string;
  readonly limits: AdmissionLimits;
  /** Of the turn's profile; absent when its cost is not metered. */
  readonly budget?: BudgetLimits;
}

export interface ReservationRequest {
  /** Unique in the conversation; one for each turn, step and attempt (G17). */
  readonly reservation: string;
  /** US dollars that the model call can cost at most; what is no finite number of 0 or more is never granted (SE85). */
  readonly estimateUsd: number;
  readonly limits: BudgetLimits;
}
/** `held`: lease is running. `lapsed`: it ran out, all of it counts as spent. `settled`: the true figure is known. */
export type ReservationState = "held" | "lapsed" | "settled";
export interface Reservation {
  /** Other than `held` when it was reserved before; `unknown` when a renewal names one that was never granted. */
  readonly state: ReservationState | "unknown";
}

/** Tokens of one model call. */
export interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}
/** What a model call came to. Also the only word of one that went ahead while the meter could not be reached (LC30). */
export interface Spend {
  readonly reservation: string;
  /** Whose usage it is. */
  readonly agent: string;
  /** US dollars; absent or not finite: all that was reserved, else `estimateUsd` (SE81, SE85). */
  readonly costUsd?: number;
  /** What was, or would have been, reserved. */
  readonly estimateUsd: number;
}

/** `ended` is any of a turn's ends. */
export type TurnStanding = "queued" | "running" | "suspended" | "ended";

/**
 * One fact of a conversation, as its log made it true. It is known by the conversation, its subject and `seq`: whatever comes twice,
 * late or in another order, the fact with the highest `seq` stands.
 */
export type Projection = {
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
} & (
  | { readonly kind: "turn"; readonly turn: string; readonly agent: string; readonly state: TurnStanding }
  | { readonly kind: "approval_opened"; readonly approval: ApprovalView }
  /** Of one answer. Counted once, because a conversation tells these in the order of `seq` and never skips one. */
  | { readonly kind: "usage"; readonly agent: string; readonly tokens: SpentTokens }
  | {
      readonly kind: "approval_closed";
      readonly approvalId: string;
      readonly state: Exclude<ApprovalState, "pending">;
    }
);

export type ConversationStatus = "idle" | "queued" | "running" | "suspended";
export interface ConversationEntry {
  /** Place in the tenant's list, ascending: the cursor of pages. */
  readonly n: number;
  readonly conversation: string;
  readonly agent: string;
  readonly status: ConversationStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds of the last thing heard of it. */
  readonly activeAt: number;
}
export interface ConversationQuery {
  readonly before?: number;
  readonly limit: number;
  readonly agent?: string;
  readonly status?: ConversationStatus;
}

/** An open approval with where it belongs. */
export interface InboxEntry {
  /** Place in the inbox, ascending: the cursor of pages. */
  readonly n: number;
  readonly conversation: string;
  readonly approval: ApprovalView;
}

/** Newest first. `more` is false on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** UTC days as `YYYY-MM-DD`, both included; absent: up to today, from the first day of the last one's month. A year at most. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
}
/** What an agent used on one UTC day. */
export interface UsageLine extends SpentTokens {
  readonly day: string;
  readonly agent: string;
  readonly turns: number;
  readonly costUsd: number;
}
/** US dollars: reserved = held + committed + released + lapsed, and all but what was released counts as spent (HC13). */
export interface BudgetStanding {
  readonly reservedUsd: number;
  readonly heldUsd: number;
  readonly committedUsd: number;
  readonly releasedUsd: number;
  readonly lapsedUsd: number;
}
export interface UsageReport {
  readonly from: string;
  readonly to: string;
  /** By day, then agent. */
  readonly lines: readonly UsageLine[];
  readonly today: BudgetStanding;
  readonly month: BudgetStanding;
}

/** Verbs of conversations. Each may be repeated: it has the effect of one. */
export interface TenantMeterVerbs {
  admit(owner: ConversationOwner, request: AdmissionRequest): Promise<Result<null, Problem>>;
  reserve(owner: ConversationOwner, request: ReservationRequest): Promise<Result<Reservation, Problem>>;
  renew(owner: ConversationOwner, reservation: string): Promise<Result<Reservation, Problem>>;
  commit(owner: ConversationOwner, spend: Spend): Promise<Result<null, Problem>>;
  release(owner: ConversationOwner, reservation: string): Promise<Result<null, Problem>>;
  project(owner: ConversationOwner, facts: readonly Projection[]): Promise<Result<null, Problem>>;
}

/** Verbs of the edge, which names the tenant of an authenticated principal. */
export interface TenantEdgeVerbs {
  listConversations(tenant: string, query: ConversationQuery): Promise<Result<Page<ConversationEntry>, Problem>>;
  /** Writes the tombstone; the conversation's rows go right after (DU46). Again: nothing. */
  deleteConversation(owner: ConversationOwner): Promise<Result<null, Problem>>;
  isDeleted(owner: ConversationOwner): Promise<Result<boolean, Problem>>;
  listInbox(tenant: string, page: { before?: number; limit: number }): Promise<Result<Page<InboxEntry>, Problem>>;
  readUsage(tenant: string, query: UsageQuery): Promise<Result<UsageReport, Problem>>;
}
export type TenantVerbs = TenantMeterVerbs & TenantEdgeVerbs;

/** What a tenant asks of a conversation object, which no client can. */
export interface ErasableConversation {
  /** Removes the alarm and all rows, and ends whatever runs; nothing when there are none. */
  /** Erases nothing before `recorded` is the head of its audit chain; until then it answers what to keep. */
  erase(owner: ConversationOwner, recorded?: string): Promise<FinalRecord | undefined>;
}
