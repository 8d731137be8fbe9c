/** T14, client calls of a cancelled turn: nobody waits for them any more. Rules: DI8, DU7, CK13. */
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import { findCall } from "../call-store.ts";
import type { TurnContext } from "../store-context.ts";
import { settleOffered } from "./settle-offered.ts";
import { requireHold } from "./turn-hold.ts";

/** The turn runs again already, to be closed by its loop. */
export function withdrawCalls(context: TurnContext, settlements: readonly CallSettlement[]): void {
  const { sql, turn } = context;
  if (settlements.length === 0) return;
  sql.transaction(() => {
    requireHold(context);
    const open = settlements.filter(({ call }) => findCall(sql, call.callId)?.state === "started");
    settleOffered(context, turn.n, open);
  });
}
