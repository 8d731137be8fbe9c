/** A delegate's frame ends, and its caller goes on with what it came to. Rules: EX14, CK16, HI10. */
import type { JsonObject } from "../../contracts/json.ts";
import type { HistoryEntry } from "../../contracts/message.ts";
import { endFrame as writeEnd } from "../frame-store.ts";
import { appendMessages } from "../message-store.ts";
import { findLastStep, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { closeLastStep } from "./close-last-step.ts";
import { requireHold } from "./turn-hold.ts";

/** Throws when a round of it is still open, or it had ended before. */
export function endFrame(
  context: FrameContext,
  { outcome, entries }: { readonly outcome: JsonObject; readonly entries: readonly HistoryEntry[] },
): void {
  const { sql, frame } = context;
  const key = keyOf(context);
  sql.transaction(() => {
    requireHold(context);
    closeLastStep(sql, findLastStep(sql, key));
    appendMessages(sql, key, entries);
    if (!writeEnd(sql, key, outcome)) throw new Error(`frame ${frame} has ended before`);
  });
}
