/** T13: the mark that no call starts behind, and the end of whatever a person was still asked. Rules: G11, DI5, AP13, CK13. */
import type { TurnRecord, TurnSummary } from "../../contracts/turn.ts";
import { type CancelAsker, cancelFact } from "../audit-facts.ts";
import { appendAudit } from "../audit-store.ts";
import { listOpenApprovals } from "../approval-store.ts";
import { readProgress } from "../step-store.ts";
import type { StoreContext } from "../store-context.ts";
import { type CancelReason, findTurn, markCancel } from "../turn-store.ts";
import { writeApprovalEnd } from "./end-approval.ts";
import { writeEnd } from "./finish-turn.ts";
import { placeEvent } from "./place-event.ts";

export interface CancelRequest {
  /** Id of the turn. */
  readonly turn: string;
  /** `interrupt`: a newer turn takes its place, and its approvals are `superseded`. */
  readonly reason: CancelReason;
  /** Absent when nobody but the object itself asks. */
  readonly by?: CancelAsker;
}

const approvalStateOf = { cancel: "cancelled", interrupt: "superseded" } as const;

function closeApprovals(context: StoreContext, reason: CancelReason): void {
  const state = approvalStateOf[reason];
  for (const stored of listOpenApprovals(context.sql)) writeApprovalEnd(context, stored, { state, provenance: state });
}

/** No loop has seen it, so none is needed to end it; its user message stays, as that of any cancelled turn. */
function endQueued(context: StoreContext, turn: TurnRecord, reason: CancelReason): void {
  const progress = readProgress(context.sql, turn.n);
  const summary: TurnSummary = { outcome: "cancelled", reason, text: "", ...progress, receipts: [] };
  const events = [placeEvent(turn, { type: "turn_finished", ...summary })];
  writeEnd({ ...context, turn }, { state: "cancelled", reason, summary, entries: [], events }, "queued");
}

/**
 * The turn as it is then, absent when there is none. A queued one has ended `cancelled`; a running one ends when its loop sees the
 * mark; a suspended one needs `resumeForCancel` and a loop. Asking again, or too late, writes nothing.
 */
export function askCancel(context: StoreContext, { turn: id, reason, by }: CancelRequest): TurnRecord | undefined {
  const { sql, now } = context;
  return sql.transaction(() => {
    const found = findTurn(sql, id);
    if (found === undefined || found.turn.finishedAt !== undefined || found.cancelAsked) return found?.turn;
    markCancel(sql, found.turn.n, { at: now(), reason });
    appendAudit(context, cancelFact(id, reason, by));
    if (found.turn.state === "queued") endQueued(context, found.turn, reason);
    else closeApprovals(context, reason);
    return findTurn(sql, id)?.turn;
  });
}
