/** T6 when a person must decide: the whole batch takes its next states, and the approvals are open. Rules: AP3, AP4, CK2, EV5, EV7, SE20. */
import type { ApprovalAsking, LoopCheckpoint } from "../../contracts/turn-journal.ts";
import { insertApproval } from "../approval-store.ts";
import { addDeadlines } from "../deadline-store.ts";
import { insertEvents } from "../event-store.ts";
import { keepCheckpoint, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { checkBatch } from "./check-batch.ts";
import { writeReady } from "./ready-calls.ts";
import { writeUnrun } from "./settle-unrun.ts";
import { requireHold } from "./turn-hold.ts";

/**
 * Throws, with nothing written, when nobody is asked anything, when a call of the step is left where it was, when approvals and
 * awaiting calls do not answer to each other, or behind a cancel: nobody would decide.
 */
export function askApprovals(context: FrameContext, asking: ApprovalAsking, checkpoint?: LoopCheckpoint): void {
  const { sql, turn } = context;
  const { step, settled, prepared, approvals, events } = asking;
  const key = { ...keyOf(context), step };
  const asked = new Map(approvals.map(({ callId, approvalId }) => [callId, approvalId]));
  if (asked.size === 0) throw new Error("a turn without an open approval cannot wait for one");
  sql.transaction(() => {
    if (requireHold(context).cancelAsked) throw new Error(`turn ${turn.id} was asked to cancel and asks nobody`);
    for (const unrun of settled) writeUnrun(context, { turn: turn.n }, unrun);
    for (const row of prepared) {
      const { callId } = row.call;
      if (row.approvalId !== asked.get(callId))
        throw new Error(`call ${callId} does not name the approval that it awaits`);
      writeReady(sql, row);
    }
    for (const request of approvals) insertApproval(sql, turn.n, request);
    addDeadlines(
      context,
      approvals.map(({ approvalId: ref, expiresAt: at }) => ({ kind: "approval", ref, at })),
    );
    checkBatch(sql, key, (state, callId) =>
      asked.has(callId) ? state === "awaiting_approval" : state === "ready" || state === "settled",
    );
    insertEvents(context, { turn: turn.n }, events);
    keepCheckpoint(sql, key, checkpoint);
  });
}
