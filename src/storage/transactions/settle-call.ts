/** T9: a started call has ended, and everything that says so is written together. Rules: RD1, G15, DU11, DM7. */
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import { addActivated } from "../activated-store.ts";
import { markSettled, readCallState } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import { insertReceipt } from "../receipt-store.ts";
import { storeResult } from "../result-store.ts";
import { keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { findHold } from "./turn-hold.ts";

function signIn(context: FrameContext, scopeId: string, { call, outcome }: CallSettlement): { receipt?: number } {
  const { receipt, disposition } = outcome;
  if (receipt === undefined) return {};
  if (disposition !== "succeeded") throw new Error(`a call that is ${disposition} has no receipt`);
  const stored = { receipt, scopeId, turn: context.turn.n, callId: call.callId };
  return { receipt: insertReceipt(context, stored) };
}

/** False, with nothing written, when the call is not running for this writer: a late result changes no row. */
export function settleCall(context: FrameContext, scopeId: string, settlement: CallSettlement): boolean {
  const { sql, turn } = context;
  const { call, outcome, result, event, further = [], activated = [] } = settlement;
  return sql.transaction(() => {
    const hold = findHold(context);
    if (hold === undefined || readCallState(sql, call.callId) !== "started") return false;
    storeResult(sql, call.callId, result.bytes);
    const receipt = signIn(context, scopeId, settlement);
    markSettled(context, call.callId, { from: "started", at: context.now(), outcome, result, ...receipt });
    addActivated(sql, keyOf(context), activated);
    insertEvents(context, { turn: turn.n, after: hold.lastSeq }, [event, ...further]);
    return true;
  });
}
