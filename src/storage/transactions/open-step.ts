/** T3: a model request is about to be made. Rules: HI2, DU21. */
import { findLastStep, insertStep, reopenStep } from "../step-store.ts";
import type { TurnContext } from "../store-context.ts";
import { closeLastStep } from "./close-last-step.ts";
import { requireHold } from "./turn-hold.ts";

/** The same step again, with another attempt, is a retry of its request. Throws when the round before is not in history. */
export function openStep(context: TurnContext, { step, attempt }: { step: number; attempt: number }): void {
  const { sql, turn } = context;
  sql.transaction(() => {
    const { lastSeq: openedSeq } = requireHold(context);
    const last = findLastStep(sql, turn.n);
    if (last?.step === step && reopenStep(sql, last, { attempt, openedSeq })) return;
    closeLastStep(sql, last);
    insertStep(sql, { turn: turn.n, step, attempt, openedSeq });
  });
}
