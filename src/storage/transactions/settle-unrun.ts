/** T6: calls that end without having run, each with both its events. Rules: EV2, EV3, EV5. */
import type { UnrunCall } from "../../contracts/turn-journal.ts";
import { markSettled, readCallState } from "../call-store.ts";
import { type EventsPlace, insertEvents } from "../event-store.ts";
import type { StoreContext, TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** For use inside a transaction; answers the last `seq` given. Throws for a call that has started or has its disposition. */
export function writeUnrun(
  context: StoreContext,
  place: EventsPlace,
  { call, outcome, blocked, events }: UnrunCall,
): number {
  const from = readCallState(context.sql, call.callId);
  if (from === undefined || from === "started" || from === "settled") {
    throw new Error(`call ${call.callId} is ${from ?? "unknown"} and cannot be settled as not run`);
  }
  const [announced] = events;
  const origin = announced.type === "tool_call" ? { toolOrigin: announced.toolOrigin } : {};
  const kept = blocked === undefined ? origin : { ...origin, blocked };
  markSettled(context, call.callId, { from, at: context.now(), outcome, ...kept });
  return insertEvents(context, place, events);
}

/** All or none. */
export function settleUnrun(context: TurnContext, calls: readonly UnrunCall[]): void {
  const { sql, turn } = context;
  sql.transaction(() => {
    let { lastSeq: after } = requireHold(context);
    for (const unrun of calls) after = writeUnrun(context, { turn: turn.n, after }, unrun);
  });
}
