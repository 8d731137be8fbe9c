/** Whether a batch may be left to wait as it is. Rules: CK1, DU16. */
import type { CallState } from "../../contracts/call.ts";
import { readCallState } from "../call-store.ts";
import type { SqlPort } from "../sql-port.ts";
import { findLastStep, type StepKey } from "../step-store.ts";

/** Throws when the step has no open batch, or a call of it is in a state that nobody would ever take it out of. */
export function checkBatch(
  sql: SqlPort,
  key: StepKey,
  canWait: (state: CallState | undefined, callId: string) => boolean,
): void {
  const last = findLastStep(sql, key);
  if (last?.response === undefined || last.step !== key.step) throw new Error(`step ${key.step} has no open batch`);
  for (const callId of last.response.callIds) {
    const state = readCallState(sql, callId);
    if (!canWait(state, callId)) throw new Error(`a turn cannot wait while call ${callId} is ${state ?? "unknown"}`);
  }
}
