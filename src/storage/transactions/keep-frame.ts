/** A frame that no loop goes on with is brought into history as its rows have it. Rules: DU10, DU22, HI11, PV10. */
import type { FrameSeal } from "../../contracts/frame-seal.ts";
import { appendMessages } from "../message-store.ts";
import { closeStep, type FrameKey, findLastStep, type StoredStep } from "../step-store.ts";
import { type FoundOpen, type SealContext, settleOpenCalls } from "./settle-open-calls.ts";
import { readShownText } from "./shown-text.ts";

export interface KeptFrame {
  readonly found: readonly FoundOpen[];
  /** The last text that clients were shown. */
  readonly text: string;
}

/** A response that was accepted is kept whole, with a result for each call, so that history stays valid for every provider. */
function keepResponse(context: SealContext, seal: FrameSeal, step: StoredStep): KeptFrame {
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
function keepPartial({ sql, turn: { id: turn } }: SealContext, { cutNote }: FrameSeal, step: StoredStep): KeptFrame {
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

/** For use inside a transaction. */
export function keepFrame(context: SealContext, seal: FrameSeal, frame: FrameKey): KeptFrame {
  const step = findLastStep(context.sql, frame);
  if (step?.state === "committed") return keepResponse(context, seal, step);
  if (step?.state === "pending") return keepPartial(context, seal, step);
  return { found: [], text: "" };
}
