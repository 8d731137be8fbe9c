/** T10: only client calls are left; they are offered, and their results waited for. Rules: DI11, DI12, DU7, CK2, TC27. */
import type { ClientOffering, LoopCheckpoint } from "../../contracts/turn-journal.ts";
import { markOffered } from "../call-moves.ts";
import { findCall } from "../call-store.ts";
import { addDeadlines } from "../deadline-store.ts";
import { insertEvents } from "../event-store.ts";
import { keepCheckpoint, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { checkBatch } from "./check-batch.ts";
import { isBound } from "./is-bound.ts";
import { requireHold } from "./turn-hold.ts";

/**
 * Throws, with nothing written, when nothing is offered, another call of the step is open, an offer is not what was approved, or
 * behind a cancel.
 */
export function offerCalls(
  context: FrameContext,
  { step, calls, events }: ClientOffering,
  checkpoint?: LoopCheckpoint,
): void {
  const { sql, turn } = context;
  const key = { ...keyOf(context), step };
  if (calls.length === 0) throw new Error("a turn without a client call cannot wait for one");
  sql.transaction(() => {
    if (requireHold(context).cancelAsked) throw new Error(`turn ${turn.id} was asked to cancel and offers nothing`);
    const offered = new Set(calls.map(({ prepared }) => prepared.call.callId));
    for (const offer of calls) {
      const { callId } = offer.prepared.call;
      const stored = findCall(sql, callId);
      const free = stored?.state === "proposed" && offer.prepared.requirement !== "prompt";
      const released = stored?.state === "ready" && isBound(sql, stored, offer.prepared);
      if (stored === undefined || !(free || released)) throw new Error(`call ${callId} cannot be offered`);
      markOffered(sql, offer, { from: stored.state, at: context.now() });
    }
    addDeadlines(
      context,
      calls.map(({ prepared, expiresAt: at }) => ({ kind: "client", ref: prepared.call.callId, at })),
    );
    checkBatch(sql, key, (state, callId) => state === (offered.has(callId) ? "started" : "settled"));
    insertEvents(context, { turn: turn.n }, events);
    keepCheckpoint(sql, key, checkpoint);
  });
}
