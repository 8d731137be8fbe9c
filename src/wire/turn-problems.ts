/** Why a turn or an approval takes no more of what was sent to it. Rules: SE22, TC28, LC26. */
import type { Approval } from "../contracts/approval.ts";
import type { Problem } from "../contracts/errors.ts";
import { encodeTime } from "./iso-time.ts";

/** Names the decision that stands (SE22). */
export function approvalDecided({ decided }: Approval): Problem {
  const problem: Problem = { slug: "approval-decided", detail: "Another decision was made before, and it stands." };
  if (decided === undefined) return problem;
  const { decision, provenance, decidedBy, decidedAt } = decided;
  const members = { decision, provenance, decided_by: decidedBy, decided_at: encodeTime(decidedAt) };
  return { ...problem, members };
}

export const approvalExpired = ({ expiresAt }: Approval): Problem => ({
  slug: "approval-expired",
  detail: "The time to decide is over.",
  members: { expires_at: encodeTime(expiresAt) },
});

/** Cancelled with its turn, superseded by a newer one, or void since its tool changed: `state` says which. */
export const approvalVoid = ({ state }: Approval): Problem => ({
  slug: "approval-void",
  detail: "There is nothing left to decide here.",
  members: { state },
});

/** Somebody else was asked (SE23). */
export const wrongChannel: Problem = { slug: "forbidden", detail: "This approval is decided through another channel." };

export const turnFinished = (outcome: string): Problem => ({
  slug: "turn-finished",
  detail: "The turn has come to another end.",
  members: { outcome },
});

export const turnNotRunning = (state: string): Problem => ({
  slug: "turn-not-running",
  detail: "The turn takes no messages: it has not begun, or it has ended.",
  members: { state },
});

export interface ToolResultConflict {
  readonly callId: string;
  readonly reason: string;
}

/** One entry for each call that takes no result; nothing of the post was applied. */
export const toolResultConflict = (conflicts: readonly ToolResultConflict[]): Problem => ({
  slug: "tool-result-conflict",
  detail: "Not every call takes a result, so none was stored.",
  errors: conflicts.map(({ callId, reason }) => ({ path: callId, message: reason })),
});
