/** The text that clients were shown of a response that was never accepted, read back from its deltas. Rules: DU21, DU22. */
import { loadEventBody } from "../event-store.ts";
import { textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import type { FrameKey } from "../step-store.ts";
import { rootFrame } from "../store-context.ts";

/** `text`, `message_id` and `parent_calls` are the members' names in the event log for good (the event table of the HTTP interface). */
interface Delta {
  readonly text?: unknown;
  readonly message_id?: unknown;
  readonly parent_calls?: readonly string[];
}

/** The call that opened the frame whose event this is. */
const frameOf = ({ parent_calls: calls = [] }: Delta): string => calls.at(-1) ?? rootFrame;

/** What a frame has shown of one message. */
export interface ShownMessage {
  readonly messageId?: string;
  readonly text: string;
}

/** The frame's deltas behind `after`; a `message_reset` takes back what came before it. */
export function readShownMessage(sql: SqlPort, { turn, frame }: FrameKey, after: number): ShownMessage {
  const rows = sql.all(
    `SELECT seq, type, body FROM events WHERE seq > ? AND turn = ? AND type IN ('text_delta', 'message_reset') ORDER BY seq`,
    after,
    turn,
  );
  let shown: ShownMessage = { text: "" };
  for (const row of rows) {
    const delta: Delta = JSON.parse(loadEventBody(sql, row));
    if (frameOf(delta) !== frame) continue;
    const { text, message_id: messageId } = delta;
    if (textAt(row, "type") === "message_reset") shown = { text: "" };
    else if (typeof text === "string" && typeof messageId === "string") shown = { messageId, text: shown.text + text };
  }
  return shown;
}

export const readShownText = (sql: SqlPort, frame: FrameKey, after: number): string =>
  readShownMessage(sql, frame, after).text;
