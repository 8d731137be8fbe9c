/** T6 when a person must decide: the whole batch takes its next states, and the turn waits. Rules: AP3, AP4, CK2, EV5, EV7, SE20. */
import type { ApprovalSuspension } from "../../contracts/ports.ts";
import { insertApproval } from "../approval-store.ts";
import { markPrepared } from "../call-moves.ts";
import { addDeadlines } from "../deadline-store.ts";
import type { TurnContext } from "../store-context.ts";
import { writeUnrun } from "./settle-unrun.ts";
import { requireSuspendable, writeSuspension } from "./suspend-turn.ts";

/**
 * Throws, with nothing written, when nobody is asked anything, when a call of the step is left where it was, or when approvals and
 * awaiting calls do not answer to each other.
 */
export function suspendForApproval(context: TurnContext, suspension: ApprovalSuspension): void {
  const { sql, turn } = context;
  const { step, settled, prepared, approvals, checkpoint, events } = suspension;
  const asked = new Map(approvals.map(({ callId, approvalId }) => [callId, approvalId]));
  if (asked.size === 0) throw new Error("a turn without an open approval cannot wait for one");
  const canWait = (state: string | undefined, callId: string): boolean =>
    asked.has(callId) ? state === "awaiting_approval" : state === "ready" || state === "settled";
  sql.transaction(() => {
    requireSuspendable(context);
    for (const unrun of settled) writeUnrun(context, { turn: turn.n }, unrun);
    for (const row of prepared) {
      const { callId } = row.call;
      if (row.approvalId !== asked.get(callId))
        throw new Error(`call ${callId} does not name the approval that it awaits`);
      const to = row.approvalId === undefined ? "ready" : "awaiting_approval";
      if (!markPrepared(sql, row, to)) throw new Error(`call ${callId} was prepared before`);
    }
    for (const request of approvals) insertApproval(sql, turn.n, request);
    addDeadlines(
      context,
      approvals.map(({ approvalId: ref, expiresAt: at }) => ({ kind: "approval", ref, at })),
    );
    writeSuspension(context, { step, checkpoint, events, canWait });
  });
}
