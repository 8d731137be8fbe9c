/** Whose an event is that was not made inside a loop: of which turn, whose frame, which iteration. Rules: EV10. */
import type { EventContext, TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";
import { readFrameContext } from "../frame-store.ts";
import type { SqlPort } from "../sql-port.ts";
import type { StepKey } from "../step-store.ts";

type PlacedTurn = Pick<TurnRecord, "id" | "agent" | "channel">;

const eventContext = ({ id, agent, channel }: PlacedTurn): EventContext => ({ turn: id, agent, channel });

/** Of what concerns the turn as a whole; `iteration` is its own frame's. */
export const placeEvent = (turn: PlacedTurn, body: TurnEventBody, iteration?: number): TurnEvent => ({
  ...eventContext(turn),
  ...(iteration === undefined ? {} : { iteration }),
  ...body,
});

/** Of what happens to a call or an answer: the agent whose frame it belongs to, and how that frame was reached. */
export const contextOfCall = (
  sql: SqlPort,
  turn: PlacedTurn & Pick<TurnRecord, "n">,
  { frame, step }: Pick<StepKey, "frame" | "step">,
): EventContext => ({
  ...eventContext(turn),
  ...readFrameContext(sql, { turn: turn.n, frame }),
  iteration: step,
});
