/** A turn whose loops are gone for good, or have failed as a bug, is closed from its rows, frame by frame. Rules: DU10, DU22, LC31, CK17, HI11, PV10. */
import type { TurnEndReason, TurnSummary } from "../../contracts/turn.ts";
import { insertEvents } from "../event-store.ts";
import { appendMessages } from "../message-store.ts";
import { listIssued } from "../receipt-store.ts";
import { closeStep, type FrameKey, findLastStep, readProgress, type StoredStep } from "../step-store.ts";
import { writeEnd } from "./finish-turn.ts";
import { openFrames } from "./open-frames.ts";
import { placeEvent } from "./place-event.ts";
import { type FoundOpen, type OpenCallEnds, type SealContext, settleOpenCalls } from "./settle-open-calls.ts";
import { readShownText } from "./shown-text.ts";
import { findHold } from "./turn-hold.ts";

export interface Seal extends OpenCallEnds {
  readonly reason: Extract<TurnEndReason, "recovery_exhausted" | "internal" | "storage_full" | "checkpoint_version">;
  /** What the model is told behind text that was cut off (PV10). */
  readonly cutNote: string;
}

interface Sealed {
  readonly found: readonly FoundOpen[];
  /** The last text that clients were shown. */
  readonly text: string;
}

/** A response that was accepted is kept whole, with a result for each call, so that history stays valid for every provider. */
function keepResponse(context: SealContext, seal: Seal, step: StoredStep): Sealed {
  const { sql } = context;
  if (step.response === undefined) return { found: [], text: "" };
  const { message } = step.response;
  const { found, entries } = settleOpenCalls(context, seal, step.response.callIds);
  const said = message.calls.length > 0 || message.text.trim() !== "" || entries.length > 0;
  if (said) appendMessages(sql, step, [message, ...entries]);
  closeStep(sql, step, { state: "appended" });
  return { found, text: message.text };
}

/** Of a response that never came to its end, what was shown stays as an assistant message, with a note that it was cut. */
function keepPartial({ sql, turn: { id: turn } }: SealContext, { cutNote }: Seal, step: StoredStep): Sealed {
  const text = readShownText(sql, step, step.openedSeq);
  if (text.trim() !== "") {
    appendMessages(sql, step, [
      { kind: "assistant", turn, text, calls: [] },
      { kind: "note", turn, text: cutNote },
    ]);
  }
  closeStep(sql, step, { state: "abandoned" });
  return { found: [], text };
}

function keepWhatWas(context: SealContext, seal: Seal, frame: FrameKey): Sealed {
  const step = findLastStep(context.sql, frame);
  if (step?.state === "committed") return keepResponse(context, seal, step);
  if (step?.state === "pending") return keepPartial(context, seal, step);
  return { found: [], text: "" };
}

/**
 * Settles what is open (started: `outcome_unknown`, the rest: `interrupted`), keeps the round or the partial text, says what was
 * found, and ends the turn `failed` with the reason. One transaction; false when the turn is not running under this attempt.
 */
export function sealInterrupted(context: SealContext, seal: Seal): boolean {
  const { sql, turn } = context;
  const { reason } = seal;
  return sql.transaction(() => {
    if (findHold(context) === undefined) return false;
    const sealed = openFrames(context).map((frame) => keepWhatWas(context, seal, frame));
    const text = sealed.at(-1)?.text ?? "";
    const receipts = listIssued(sql, turn.n);
    const summary: TurnSummary = { outcome: "failed", reason, text, ...readProgress(sql, turn.n), receipts };
    if (reason === "recovery_exhausted") {
      const calls = sealed.flatMap(({ found }) => found);
      const recovered = placeEvent(turn, { type: "turn_recovered", attempt: turn.attempt, calls });
      insertEvents(context, { turn: turn.n }, [recovered]);
    }
    const events = [placeEvent(turn, { type: "turn_finished", ...summary })];
    writeEnd(context, { state: "failed", reason, summary, entries: [], events });
    return true;
  });
}
