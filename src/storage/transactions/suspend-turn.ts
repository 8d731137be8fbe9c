/** How both suspensions end: the turn lets go of its loop, and nothing of its batch is left behind unjudged. Rules: CK1, CK2, DU4. */
import type { CallState } from "../../contracts/call.ts";
import type { JsonObject } from "../../contracts/json.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { readCallState } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import { findLastStep } from "../step-store.ts";
import type { TurnContext } from "../store-context.ts";
import { suspendTurn } from "../turn-store.ts";
import { requireHold } from "./turn-hold.ts";

/** Throws when a cancel was asked for: nobody would resume a turn that is suspended behind it. */
export function requireSuspendable(context: TurnContext): void {
  if (requireHold(context).cancelAsked) {
    throw new Error(`turn ${context.turn.id} was asked to cancel and cannot be suspended`);
  }
}

export interface Suspension {
  readonly step: number;
  readonly checkpoint: JsonObject;
  readonly events: readonly TurnEvent[];
  /** Whether the turn can wait with the call in this state. */
  readonly canWait: (state: CallState | undefined, callId: string) => boolean;
}

/** For use inside a transaction that has moved the calls. */
export function writeSuspension(context: TurnContext, { step, checkpoint, events, canWait }: Suspension): void {
  const { sql, turn } = context;
  const last = findLastStep(sql, turn.n);
  if (last?.response === undefined || last.step !== step) throw new Error(`step ${step} has no open batch`);
  for (const callId of last.response.callIds) {
    const state = readCallState(sql, callId);
    if (!canWait(state, callId)) throw new Error(`a turn cannot wait while call ${callId} is ${state ?? "unknown"}`);
  }
  insertEvents(context, { turn: turn.n }, events);
  suspendTurn(sql, turn, checkpoint);
}
