/** T7, the deadline of a client call: what did not come in time has timed out. Rules: TC28, DU7, DU26, CK11. */
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import { findCall } from "../call-store.ts";
import type { StoreContext } from "../store-context.ts";
import { settleOffered } from "./settle-offered.ts";

/** Absent, with nothing written, when it has its result or its time is not up. `resumed`: the caller runs the turn. */
export function expireClientCall(
  context: StoreContext,
  settlement: CallSettlement,
): { readonly resumed: boolean } | undefined {
  return context.sql.transaction(() => {
    const stored = findCall(context.sql, settlement.call.callId);
    if (stored?.state !== "started" || stored.expiresAt === undefined) return undefined;
    return stored.expiresAt > context.now()
      ? undefined
      : { resumed: settleOffered(context, stored.turn, [settlement]) };
  });
}
