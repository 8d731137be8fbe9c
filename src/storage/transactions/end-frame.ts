/** A delegate's frame ends, and its caller goes on with what it came to. Rules: EX14, CK16, HI10. */
import type { JsonObject } from "../../contracts/json.ts";
import type { FrameLeft, LoopCheckpoint } from "../../contracts/turn-journal.ts";
import { insertEvents } from "../event-store.ts";
import { endFrame as writeEnd } from "../frame-store.ts";
import { appendMessages } from "../message-store.ts";
import { findLastStep, keepCheckpoint, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { closeLastStep } from "./close-last-step.ts";
import { requireHold } from "./turn-hold.ts";

export interface FrameEnding extends FrameLeft {
  readonly outcome: JsonObject;
  /** What the frame shares with the others as it leaves it: a last request may have cost something. */
  readonly checkpoint?: LoopCheckpoint | undefined;
}

/** Throws when a round of it is still open, or it had ended before. */
export function endFrame(context: FrameContext, { outcome, entries, events, checkpoint }: FrameEnding): void {
  const { sql, frame, turn } = context;
  const key = keyOf(context);
  sql.transaction(() => {
    const { lastSeq: after } = requireHold(context);
    const last = findLastStep(sql, key);
    closeLastStep(sql, last);
    if (last !== undefined) keepCheckpoint(sql, last, checkpoint);
    appendMessages(sql, key, entries);
    insertEvents(context, { turn: turn.n, after }, events);
    if (!writeEnd(sql, key, outcome)) throw new Error(`frame ${frame} has ended before`);
  });
}
