/** Whose an event is that was not made inside a loop: of which turn, whose frame, which iteration. Rules: EV10. */
import type { EventContext, TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";

export interface PlaceOptions {
  /** Of the frame that the event is about, where that is not the turn's own. */
  readonly agent?: string;
  readonly iteration?: number;
}

type PlacedTurn = Pick<TurnRecord, "id" | "agent" | "channel">;

export function eventContext({ id, agent, channel }: PlacedTurn, options: PlaceOptions = {}): EventContext {
  return { turn: id, agent, channel, ...options };
}

export const placeEvent = (turn: PlacedTurn, body: TurnEventBody, options?: PlaceOptions): TurnEvent => ({
  ...eventContext(turn, options),
  ...body,
});
