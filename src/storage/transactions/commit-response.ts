/** T5: a response was accepted whole, and its calls are proposed. Rules: PA15, PA16, HI2. */
import type { CommittedResponse, LoopCheckpoint } from "../../contracts/turn-journal.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import type { TurnUsage } from "../../contracts/turn.ts";
import { insertCall } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import { commitStep, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** The response's spending, kept with the step: a turn that is sealed later has no other record of it. */
function usageOf(events: readonly TurnEvent[]): TurnUsage | undefined {
  const found = events.find((event) => event.type === "usage");
  if (found?.type !== "usage") return undefined;
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, exact, costUsd } = found;
  return { inputTokens, outputTokens, cachedTokens, reasoningTokens, exact, costUsd };
}

/** Throws when the step is not pending: a response is committed once. */
export function commitResponse(
  context: FrameContext,
  { step, message, finishReason, calls, events }: CommittedResponse,
  checkpoint?: LoopCheckpoint,
): void {
  const { sql, turn } = context;
  const key = { ...keyOf(context), step };
  sql.transaction(() => {
    const { lastSeq: after } = requireHold(context);
    const usage = usageOf(events);
    const response = { message, finishReason, callIds: calls.map(({ callId }) => callId), checkpoint };
    const committed = commitStep(sql, key, { ...response, ...(usage === undefined ? {} : { usage }) });
    if (!committed) throw new Error(`step ${step} has no open request`);
    for (const call of calls) insertCall(sql, key, call);
    insertEvents(context, { turn: turn.n, after }, events);
  });
}
