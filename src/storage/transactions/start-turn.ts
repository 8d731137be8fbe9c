/** T2: a queued turn begins to run, if no other is open. Rules: G12, DU4. */
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { insertEvents } from "../event-store.ts";
import type { TurnContext } from "../store-context.ts";
import { findActiveTurn, moveTurn } from "../turn-store.ts";
import { beginHeartbeat } from "./heartbeat.ts";
import { placeStart } from "./place-start.ts";

/** False, with nothing written, when another turn runs or waits, or this one is not queued. `event` is `turn_started`. */
export function startTurn(context: TurnContext, event: TurnEvent): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    if (findActiveTurn(sql) !== undefined) return false;
    if (!moveTurn(sql, turn, { from: "queued", to: "running" })) return false;
    insertEvents(context, { turn: turn.n }, [event]);
    placeStart(context);
    beginHeartbeat(context, turn);
    return true;
  });
}
