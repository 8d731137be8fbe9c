/** A turn: how it comes in, what narrows it, how it ends. Rules: RX5, outcomes of `lifecycle.md`. */
import type { JsonObject } from "./json.ts";
import type { InputPart } from "./message.ts";
import type { ModelUsage } from "./model.ts";
import type { TextCheck } from "./text-check.ts";

export type TurnState =
  | "queued"
  | "running"
  | "suspended"
  | "completed"
  | "cancelled"
  | "failed"
  | "stopped"
  | "capped";
export type TurnEnd = Exclude<TurnState, "queued" | "running" | "suspended">;

export type TurnEndReason =
  | "cancel"
  | "interrupt"
  | "max_tool_iterations"
  | "shared_budget"
  | "repeated_prompt"
  | "loop_detected"
  | "malformed_protocol"
  | "cost_budget"
  | "provider_error"
  | "provider_timeout"
  | "empty_response"
  | "context_overflow"
  | "tool_protocol"
  | "fabricated_receipt"
  | "checkpoint_version"
  | "internal"
  | "recovery_exhausted"
  | "storage_full";

export type TurnEntry = "http" | "webhook" | "steering";

/** What a new turn does to one that has not ended (LC28). */
export type OnBusy = "queue" | "reject" | "steer" | "interrupt";

/** What one run may take away from the profile, and never add (RX5). */
export interface TurnNarrowing {
  readonly allowedTools?: readonly string[];
  readonly excludedTools?: readonly string[];
  readonly maxToolIterations?: number;
  readonly parallelTools?: boolean;
  readonly maxToolResultChars?: number;
  readonly approvals?: "prompt" | "deny";
}

/** A tool that a request brings for its one turn, run by whoever sent it (TC29). `parameters`: a JSON Schema; absent: any object. */
export interface RequestTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
}

/** An authenticated caller (SE14). `channel` is the surface its credential names. */
export interface Principal {
  readonly tenant: string;
  readonly subject: string;
  readonly channel: string;
  readonly scopes: readonly string[];
}

/** A validated turn request, translated from the wire. */
export interface TurnRequest {
  readonly input: readonly InputPart[];
  readonly agent?: string;
  readonly narrowing: TurnNarrowing;
  readonly onBusy?: OnBusy;
  readonly metadata?: JsonObject;
  readonly clientTools?: readonly RequestTool[];
}

/** A turn as its row holds it, and as `GET …/turns/{t}` shows it. Times are epoch milliseconds. */
export interface TurnRecord {
  readonly n: number;
  readonly id: string;
  readonly agent: string;
  readonly state: TurnState;
  readonly reason?: TurnEndReason;
  readonly entry: TurnEntry;
  readonly channel: string;
  readonly subject: string;
  readonly narrowing: TurnNarrowing;
  readonly metadata?: JsonObject;
  readonly attempt: number;
  readonly acceptedAt: number;
  readonly finishedAt?: number;
}

/** What a turn came to: the data of `turn_finished`, kept with the turn. */
export interface TurnSummary {
  readonly outcome: TurnEnd;
  readonly reason?: TurnEndReason;
  readonly finishReason?: string;
  readonly text: string;
  readonly usage: TurnUsage;
  readonly iterations: number;
  readonly receipts: readonly IssuedReceipt[];
  /** Absent when the agent's receipts are off, or the turn was closed without a text of its own. */
  readonly receiptCheck?: TextCheck;
  /** Head of the audit chain when the turn ended; the transaction that ends it adds it (AU2). */
  readonly headHash?: string;
}
export interface TurnUsage extends ModelUsage {
  readonly costUsd: number;
}

export const noUsage: TurnUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  exact: true,
  costUsd: 0,
};

/** Exact only if both are. */
export const addUsage = (total: TurnUsage, more: TurnUsage): TurnUsage => ({
  inputTokens: total.inputTokens + more.inputTokens,
  outputTokens: total.outputTokens + more.outputTokens,
  cachedTokens: total.cachedTokens + more.cachedTokens,
  reasoningTokens: total.reasoningTokens + more.reasoningTokens,
  exact: total.exact && more.exact,
  costUsd: total.costUsd + more.costUsd,
});
/** One line of a turn's receipt list, in execution order. */
export interface IssuedReceipt {
  readonly callId: string;
  readonly tool: string;
  readonly receipt: string;
}
