/** T6: calls that end without having run, each with both its events. Rules: EV2, EV3, EV5. */
import type { UnrunCall } from "../../contracts/ports.ts";
import { markSettled, readCallState } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** All or none; throws for a call that has started or has its disposition. */
export function settleUnrun(context: TurnContext, calls: readonly UnrunCall[]): void {
  const { sql, turn } = context;
  sql.transaction(() => {
    let { lastSeq: after } = requireHold(context);
    for (const { call, outcome, events } of calls) {
      const from = readCallState(sql, call.callId);
      if (from === undefined || from === "started" || from === "settled") {
        throw new Error(`call ${call.callId} is ${from ?? "unknown"} and cannot be settled as not run`);
      }
      markSettled(sql, call.callId, { from, at: context.now(), outcome });
      after = insertEvents(context, { turn: turn.n, after }, events);
    }
  });
}
