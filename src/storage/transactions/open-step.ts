/** T3: a model request is about to be made. Rules: HI2, DU21. */
import type { LoopCheckpoint } from "../../contracts/turn-journal.ts";
import { findLastStep, insertStep, reopenStep, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { closeLastStep } from "./close-last-step.ts";
import { requireHold } from "./turn-hold.ts";

/** The same step again, with another attempt, is a retry of its request. Throws when the round before is not in history. */
export function openStep(
  context: FrameContext,
  { step, attempt }: { step: number; attempt: number },
  checkpoint?: LoopCheckpoint,
): void {
  const { sql } = context;
  const key = keyOf(context);
  sql.transaction(() => {
    const { lastSeq: openedSeq } = requireHold(context);
    const last = findLastStep(sql, key);
    if (last?.step === step && reopenStep(sql, last, { attempt, openedSeq })) return;
    closeLastStep(sql, last);
    insertStep(sql, { ...key, step }, { attempt, openedSeq, checkpoint });
  });
}
