/** T4: events that stand alone, text deltas above all. Rules: G3, EV1. */
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { insertEvents } from "../event-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

export function appendEvents(context: TurnContext, events: readonly TurnEvent[]): void {
  context.sql.transaction(() => {
    const { lastSeq: after } = requireHold(context);
    insertEvents(context, { turn: context.turn.n, after }, events);
  });
}
