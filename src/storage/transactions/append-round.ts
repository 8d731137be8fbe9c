/** T11: a whole round enters history. Rules: HI2, G8. */
import type { LoopCheckpoint, Round } from "../../contracts/turn-journal.ts";
import { readCallState } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import { appendMessages } from "../message-store.ts";
import type { SqlPort } from "../sql-port.ts";
import { closeStep, findLastStep, type StepResponse, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

function checkRound(sql: SqlPort, { step, entries }: Round, { callIds }: StepResponse): void {
  const open = callIds.filter((callId) => readCallState(sql, callId) !== "settled");
  if (open.length > 0) throw new Error(`step ${step} has calls without a disposition: ${open.join(", ")}`);
  const answered = entries.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
  const inOrder = answered.length === callIds.length && answered.every((callId, slot) => callId === callIds[slot]);
  if (!inOrder) throw new Error(`step ${step} must be appended with one result for each call, in slot order`);
}

/** Throws unless the step is the committed one, all its calls are settled, and each has its result in slot order. */
export function appendRound(context: FrameContext, round: Round, checkpoint?: LoopCheckpoint): void {
  const { sql, turn } = context;
  const { entries, events = [] } = round;
  const key = keyOf(context);
  sql.transaction(() => {
    const { lastSeq: after } = requireHold(context);
    const last = findLastStep(sql, key);
    if (last?.response === undefined || last.step !== round.step) {
      throw new Error(`step ${round.step} has no response to append`);
    }
    checkRound(sql, round, last.response);
    appendMessages(sql, key, entries);
    insertEvents(context, { turn: turn.n, after }, events);
    closeStep(sql, last, { state: "appended", checkpoint });
  });
}
