/** Notes for the model that belong to no round: why its last response was not taken. Rules: LC8, HI2. */
import type { NoteEntry } from "../../contracts/message.ts";
import { appendMessages } from "../message-store.ts";
import { findLastStep, keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** Throws while a response waits for its round: a note never stands inside a batch. */
export function appendNotes(context: FrameContext, notes: readonly NoteEntry[]): void {
  const { sql } = context;
  const key = keyOf(context);
  sql.transaction(() => {
    requireHold(context);
    if (findLastStep(sql, key)?.state === "committed") throw new Error("a note cannot enter an open round");
    appendMessages(sql, key, notes);
  });
}
