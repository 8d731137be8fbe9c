/** The last step of T7: with nothing left to wait for, a suspended turn runs again. Rules: AP18, CK6, CK7, EV7. */
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import { insertEvents } from "../event-store.ts";
import { hasOpenRequests } from "../open-requests.ts";
import type { StoreContext } from "../store-context.ts";
import { findLastStep, rootKey } from "../step-store.ts";
import { findTurnByNumber, moveTurn } from "../turn-store.ts";
import { beginHeartbeat } from "./heartbeat.ts";
import { placeEvent } from "./place-event.ts";

type Resumed = Extract<TurnEventBody, { type: "turn_resumed" }>;

export interface Resumption {
  /** Number of the turn. */
  readonly turn: number;
  /** What the last open item was. */
  readonly reason: Resumed["reason"];
}

/** For use inside the transaction that resolved an item. True for exactly one of those that race: whoever gets it runs the turn. */
export function resumeTurn(context: StoreContext, { turn: n, reason }: Resumption): boolean {
  const { sql } = context;
  const found = hasOpenRequests(sql) ? undefined : findTurnByNumber(sql, n);
  if (found === undefined || !moveTurn(sql, found.turn, { from: "suspended", to: "running" })) return false;
  beginHeartbeat(context, found.turn);
  const iteration = findLastStep(sql, rootKey(n))?.step;
  insertEvents(context, { turn: n }, [placeEvent(found.turn, { type: "turn_resumed", reason }, iteration)]);
  return true;
}
