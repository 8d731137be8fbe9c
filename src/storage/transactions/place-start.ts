/** The deadline of the turn whose time it is: if nobody starts it, the alarm does. Rules: G2, G10, DU26. */
import { keepDeadline } from "../deadline-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findStartable } from "../turn-store.ts";

/** Milliseconds that whoever accepted a turn, or ended the one before it, has to start it. */
const startWithin = 5000;

/** For use inside every transaction that queues, starts or ends a turn: what could start now has its deadline, and nothing else. */
export function placeStart(context: StoreContext): void {
  const ref = findStartable(context.sql);
  keepDeadline(context, "start", ref === undefined ? undefined : { ref, at: context.now() + startWithin });
}
