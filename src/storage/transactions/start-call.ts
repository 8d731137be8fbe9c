/** T8: the fence before an effect. Rules: G5, G9, G11, DI4, DI5, AP5. */
import type { CallStart } from "../../contracts/turn-journal.ts";
import { markStarted } from "../call-moves.ts";
import { findCall } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import type { TurnContext } from "../store-context.ts";
import { isBound } from "./is-bound.ts";
import { findHold } from "./turn-hold.ts";

/**
 * False, with nothing written: the turn is no longer ours, a cancel was asked for, the call has started or ended, or it is not
 * the call any more that was judged and, where needed, approved.
 */
export function startCall(context: TurnContext, start: CallStart): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    const hold = findHold(context);
    if (hold === undefined || hold.cancelAsked) return false;
    const stored = findCall(sql, start.call.callId);
    if (stored?.state !== "proposed" && stored?.state !== "ready") return false;
    if (stored.state === "ready" && !isBound(sql, stored, start)) return false;
    markStarted(sql, start, { from: stored.state, at: context.now() });
    insertEvents(context, { turn: turn.n, after: hold.lastSeq }, [start.event]);
    return true;
  });
}
