/** The context of events that storage makes itself: whose turn, which iteration. Rules: EV10. */
import type { EventContext, TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";

export interface PlaceOptions {
  /** Of the frame that the event is about, where that is not the turn's own. */
  readonly agent?: string;
  readonly iteration?: number;
}

export function placeEvent(turn: TurnRecord, body: TurnEventBody, options: PlaceOptions = {}): TurnEvent {
  const { agent = turn.agent, iteration } = options;
  const context: EventContext = { turn: turn.id, agent, channel: turn.channel };
  return iteration === undefined ? { ...context, ...body } : { ...context, iteration, ...body };
}
