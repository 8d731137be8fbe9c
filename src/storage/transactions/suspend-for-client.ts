/** T10: only client calls are left; they are offered, and the turn waits for their results. Rules: DI11, DI12, DU7, CK2, TC27. */
import type { ClientSuspension } from "../../contracts/ports.ts";
import { markOffered } from "../call-moves.ts";
import { findCall } from "../call-store.ts";
import { addDeadlines } from "../deadline-store.ts";
import type { TurnContext } from "../store-context.ts";
import { isBound } from "./is-bound.ts";
import { requireSuspendable, writeSuspension } from "./suspend-turn.ts";

/** Throws, with nothing written, when nothing is offered, another call of the step is open, or an offer is not what was approved. */
export function suspendForClient(context: TurnContext, { step, calls, checkpoint, events }: ClientSuspension): void {
  const { sql } = context;
  if (calls.length === 0) throw new Error("a turn without a client call cannot wait for one");
  sql.transaction(() => {
    requireSuspendable(context);
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
    const canWait = (state: string | undefined, callId: string): boolean =>
      state === (offered.has(callId) ? "started" : "settled");
    writeSuspension(context, { step, checkpoint, events, canWait });
  });
}
