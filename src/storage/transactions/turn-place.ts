/** The context of events that storage makes itself: whose turn, which iteration. Rules: EV10. */
import type { EventContext, TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";
import { readFrameContext } from "../frame-store.ts";
import type { SqlPort } from "../sql-port.ts";
import type { StepKey } from "../step-store.ts";

type FrameStepKey = Pick<StepKey, "frame" | "step">;

/** Of an event about the turn as a whole. */
export function placeEvent(turn: TurnRecord, body: TurnEventBody, iteration?: number): TurnEvent {
  const context: EventContext = { turn: turn.id, agent: turn.agent, channel: turn.channel };
  return iteration === undefined ? { ...context, ...body } : { ...context, iteration, ...body };
}

/** Of what happens to a call: the agent whose frame made it, and how that frame was reached. */
export function contextOfCall(sql: SqlPort, turn: TurnRecord, { frame, step }: FrameStepKey): EventContext {
  const own = { turn: turn.id, agent: turn.agent, channel: turn.channel };
  return { ...own, ...readFrameContext(sql, { turn: turn.n, frame }), iteration: step };
}
