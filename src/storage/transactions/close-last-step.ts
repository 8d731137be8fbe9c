/** What happens to the step a turn was at when it goes on without it. Rules: HI2, HI3. */
import type { SqlPort } from "../sql-port.ts";
import { closeStep, type StoredStep } from "../step-store.ts";

/**
 * A pending step is abandoned, a response without calls is let go of. Throws when a response with calls waits for its round:
 * leaving it would lose calls from history.
 */
export function closeLastStep(sql: SqlPort, last: StoredStep | undefined): void {
  if (last?.state === "pending") closeStep(sql, last, { state: "abandoned" });
  if (last?.state !== "committed") return;
  if (last.response?.callIds.length !== 0) throw new Error(`step ${last.step} still waits for its round`);
  closeStep(sql, last, { state: "appended" });
}
