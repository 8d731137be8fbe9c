/** Approvals: what a person is asked, what was decided, by whom, on whose word. Rules: AP4–AP8, AP14. */
import type { Risk, ToolOrigin } from "./tool.ts";

export const approvalDecisions = ["approve", "always", "deny", "replace"] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** Why an approval ended as it did (AP8). */
export type ApprovalProvenance =
  | "operator"
  | "policy"
  | "expired"
  | "unavailable"
  | "unreachable"
  | "cancelled"
  | "superseded";
/** `unreachable`: the channel that was asked erred or abstained. */
export type ApprovalState = "pending" | "decided" | "expired" | "unreachable" | "cancelled" | "superseded" | "void";

/** A channel, and how long it has. */
export interface ApprovalAsker {
  readonly channel: string;
  readonly timeoutSecs: number;
}

/** What binds a decision to exactly one call (AP4, AP5). `expiresAt` is epoch milliseconds. */
export interface ApprovalRequest {
  readonly approvalId: string;
  readonly turn: string;
  readonly callId: string;
  readonly agent: string;
  readonly tool: string;
  readonly toolOrigin: ToolOrigin;
  readonly risk: Risk;
  readonly definitionHash: string;
  readonly argsDigest: string;
  /** Redacted, for a person to read (AP17). */
  readonly summary: string;
  readonly expiresAt: number;
  /** The channel that is asked; anybody entitled may decide when it is the turn's own. */
  readonly channel: string;
  /** Who is asked next when that channel does not decide (AP10). */
  readonly fallback?: ApprovalAsker;
  /** True when a rule demands a prompt each time, which "always" on another call never answers (AP14). */
  readonly alwaysAsks: boolean;
}

/** A decision as a person gave it; `replacement` comes with `replace` alone. */
export interface DecisionInput {
  readonly decision: ApprovalDecision;
  readonly replacement?: string;
  readonly note?: string;
}

/** Who decided, where from, when (epoch milliseconds). */
export interface DecisionRecord extends DecisionInput {
  readonly provenance: ApprovalProvenance;
  readonly decidedBy: string;
  readonly channel: string;
  readonly decidedAt: number;
}

/** An approval as its row holds it. */
export interface Approval extends ApprovalRequest {
  readonly state: ApprovalState;
  readonly decided?: DecisionRecord;
}
