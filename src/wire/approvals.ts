/** Approvals on the wire: their documents. Rules: AP4, AP7, AP17, SE23. */
import type { ApprovalView } from "../contracts/verbs.ts";
import { encodeTime } from "./iso-time.ts";
import { encodeNextBefore } from "./next-before.ts";
import { conversationPath } from "./paths.ts";
import { encodeNames } from "./snake-case.ts";

const nothingOpaque: ReadonlySet<string> = new Set();

/** What a person reads and what binds the decision; once decided, who decided what, from where and when. */
export function encodeApproval(conversation: string, { approvalId, ...view }: ApprovalView): Record<string, unknown> {
  const { callId, definitionHash, argsDigest, summary, expiresAt, alwaysAsks, decided, ...named } = view;
  const path = conversationPath(conversation);
  return {
    approval_id: approvalId,
    conversation,
    ...encodeNames(named, nothingOpaque),
    call_id: callId,
    tool_def: definitionHash,
    args_digest: argsDigest,
    arguments_summary: summary,
    always_asks: alwaysAsks,
    expires_at: encodeTime(expiresAt),
    ...(decided === undefined
      ? {}
      : { decided: { ...encodeNames(decided, nothingOpaque), decided_at: encodeTime(decided.decidedAt) } }),
    links: { decide: `${path}/approvals/${approvalId}`, turn: `${path}/turns/${view.turn}` },
  };
}

export function encodeApprovalPage(conversation: string, views: readonly ApprovalView[]): Record<string, unknown> {
  return {
    approvals: views.map((view) => encodeApproval(conversation, view)),
    next_before: encodeNextBefore(views.at(-1)?.n),
  };
}
