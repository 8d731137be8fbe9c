/** T3 of a model call that costs: its reservation is on record before it can be sent. Rules: G17, SE80. */
import type { Charge } from "../../contracts/ports.ts";
import { insertCharge } from "../charge-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** Throws when the turn has another writer: only that one may send. */
export function openCharge(context: TurnContext, charge: Charge): void {
  const { sql, turn } = context;
  sql.transaction(() => {
    requireHold(context);
    insertCharge(sql, turn.n, charge);
  });
}
