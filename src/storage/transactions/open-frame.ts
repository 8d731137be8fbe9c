/** A frame begins: with what it is pinned to, and for a delegate with what it was asked. Rules: RX13, DG6, DU8. */
import type { FrameRecord } from "../../contracts/turn-journal.ts";
import type { HistoryEntry } from "../../contracts/message.ts";
import { insertFrame } from "../frame-store.ts";
import { appendMessages } from "../message-store.ts";
import { keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

export function openFrame(context: FrameContext, record: FrameRecord, entries: readonly HistoryEntry[]): void {
  const { sql } = context;
  const key = keyOf(context);
  sql.transaction(() => {
    requireHold(context);
    insertFrame(sql, key, record);
    appendMessages(sql, key, entries);
  });
}
