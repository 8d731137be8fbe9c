/** T12: the turn's one end. Rules: G2, EV8, HC3, HI10, LC27. */
import type { TurnFinish } from "../../contracts/turn-journal.ts";
import { readAuditHead } from "../audit-store.ts";
import { closeChargesOf } from "../charge-store.ts";
import { insertEvents } from "../event-store.ts";
import { dropFrames } from "../frame-store.ts";
import { appendMessages } from "../message-store.ts";
import type { TurnContext } from "../store-context.ts";
import { endTurn } from "../turn-store.ts";
import { dropCheckpoints, findLastStep, rootKey } from "../step-store.ts";
import { closeLastStep } from "./close-last-step.ts";
import { endHeartbeat } from "./heartbeat.ts";
import { placeStart } from "./place-start.ts";
import { queueLeftover } from "./queue-leftover.ts";
import { findHold } from "./turn-hold.ts";

/** For use inside a transaction, by whoever has found the turn in `from` and has dealt with its last step. */
export function writeEnd(context: TurnContext, end: TurnFinish, from: "running" | "queued" = "running"): void {
  const { sql, turn } = context;
  const finished = end.events.filter(({ type }) => type === "turn_finished");
  if (finished.length !== 1 || end.events.at(-1)?.type !== "turn_finished") {
    throw new Error("a turn ends with exactly one turn_finished, as its last event");
  }
  appendMessages(sql, rootKey(turn.n), end.entries);
  const { hash: headHash } = readAuditHead(context);
  const events = end.events.map((event) => (event.type === "turn_finished" ? { ...event, headHash } : event));
  const lastSeq = insertEvents(context, { turn: turn.n }, events);
  const ended = { ...end.summary, headHash };
  const summary = end.reason === undefined ? ended : { ...ended, reason: end.reason };
  endTurn(sql, turn, { from, state: end.state, summary, finishedAt: context.now(), lastSeq });
  endHeartbeat(context, turn);
  closeChargesOf(context, turn.n);
  dropCheckpoints(sql, turn.n);
  dropFrames(sql, turn.n);
  queueLeftover(context, turn.n);
  placeStart(context);
}

/** False, with nothing written, when the turn has ended or is another's. Throws when a round is still open. */
export function finishTurn(context: TurnContext, end: TurnFinish): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    if (findHold(context) === undefined) return false;
    closeLastStep(sql, findLastStep(sql, rootKey(turn.n)));
    writeEnd(context, end);
    return true;
  });
}
