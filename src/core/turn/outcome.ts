/** LoopOutcome: how a ToolLoop ends, as a value; nothing is thrown and nothing waits. Rules: outcomes of `lifecycle.md`, LC31. */
import type { HistoryEntry } from "../../contracts/message.ts";
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnEndReason } from "../../contracts/turn.ts";

interface Ending {
  /** The text the user is left with: final, summary, or what was shown before it was cut. */
  readonly text: string;
  /** What this end adds to history, behind the last round. */
  readonly entries: readonly HistoryEntry[];
  /** What nobody has been told yet. */
  readonly events?: readonly TurnEventBody[];
}

export type LoopOutcome =
  | (Ending & { readonly kind: "final"; readonly finishReason: string })
  | (Ending & { readonly kind: "cancelled"; readonly reason: Extract<TurnEndReason, "cancel" | "interrupt"> })
  | (Ending & {
      readonly kind: "capped";
      readonly reason: Extract<TurnEndReason, "max_tool_iterations" | "shared_budget">;
    })
  | (Ending & { readonly kind: "stopped"; readonly reason: StopReason })
  | (Ending & { readonly kind: "failed"; readonly reason: FailureReason })
  | Suspended;

/** Somebody else must act first; what is pending is in the journal alone (CK1). */
export interface Suspended {
  readonly kind: "suspended";
}
export const suspendedHere: Suspended = { kind: "suspended" };

export type EndedOutcome = Exclude<LoopOutcome, Suspended>;

export type StopReason = Extract<
  TurnEndReason,
  "repeated_prompt" | "loop_detected" | "malformed_protocol" | "cost_budget"
>;

export type FailureReason = Extract<
  TurnEndReason,
  | "provider_error"
  | "provider_timeout"
  | "empty_response"
  | "context_overflow"
  | "tool_protocol"
  | "fabricated_receipt"
  | "internal"
>;

/** The end of a turn that was cancelled where nothing of it is left to keep. */
export const cancelledHere = { kind: "cancelled", reason: "cancel", text: "", entries: [] } as const;

/** The end of a frame whose next model call has no room in the budget; the rounds before it are kept. */
export const overBudget = { kind: "stopped", reason: "cost_budget", text: "", entries: [] } as const;
