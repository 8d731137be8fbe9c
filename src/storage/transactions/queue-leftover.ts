/** Steering that came too late for its turn goes on as turns of its own. Rules: LC27, G12, RX5. */
import { removeSteering } from "../steering-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurnByNumber, nextTurnId } from "../turn-store.ts";
import { enqueueTurn } from "./enqueue-turn.ts";

/** For use inside the transaction that ends the turn, behind its last event. What narrowed the turn narrows what was meant for it. */
export function queueLeftover(context: StoreContext, n: number): void {
  const messages = removeSteering(context.sql, n);
  const ended = messages.length === 0 ? undefined : findTurnByNumber(context.sql, n)?.turn;
  if (ended === undefined) return;
  const { agent, narrowing } = ended;
  for (const message of messages) {
    enqueueTurn(context, { id: nextTurnId(context.sql), agent, narrowing, entry: "steering", ...message });
  }
}
