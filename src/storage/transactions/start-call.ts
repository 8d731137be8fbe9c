/** T8: the fence before an effect. Rules: G5, G11, DI4, DI5. */
import type { CallStart } from "../../contracts/ports.ts";
import { markStarted, readCallState } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import type { TurnContext } from "../store-context.ts";
import { findHold } from "./turn-hold.ts";

/** False, with nothing written: the turn is no longer ours, a cancel was asked for, or the call has started or ended. */
export function startCall(context: TurnContext, start: CallStart): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    const hold = findHold(context);
    if (hold === undefined || hold.cancelAsked) return false;
    const from = readCallState(sql, start.call.callId);
    if (from !== "proposed" && from !== "ready") return false;
    markStarted(sql, start, { from, at: context.now() });
    insertEvents(context, { turn: turn.n, after: hold.lastSeq }, [start.event]);
    return true;
  });
}
