/** Settles calls that were offered to the client, whoever ends them. Rules: DU7, DI12, TC27, CK6. */
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import { markSettled } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import { storeResult } from "../result-store.ts";
import type { StoreContext } from "../store-context.ts";
import { resumeTurn } from "./resume-turn.ts";

/** For use inside a transaction that has found them offered, all of one turn. True when the turn runs again. */
export function settleOffered(context: StoreContext, turn: number, settlements: readonly CallSettlement[]): boolean {
  for (const { call, outcome, result, event } of settlements) {
    if (outcome.receipt !== undefined) throw new Error(`client call ${call.callId} cannot have a receipt`);
    storeResult(context.sql, call.callId, result.bytes);
    const settled = markSettled(context, call.callId, { from: "started", at: context.now(), outcome, result });
    if (!settled) throw new Error(`client call ${call.callId} is no longer offered`);
    insertEvents(context, { turn }, [event]);
  }
  return resumeTurn(context, { turn, reason: "client_tool" });
}
