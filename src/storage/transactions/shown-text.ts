/** The text that clients were shown of a response that was never accepted, read back from its deltas. Rules: DU21, DU22. */
import { loadEventBody } from "../event-store.ts";
import { textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";

/** `text` is the member's name in the event log for good (`text_delta` in the event table of the HTTP interface). */
function deltaText(line: string): string {
  const event: { readonly text?: unknown } = JSON.parse(line);
  return typeof event.text === "string" ? event.text : "";
}

/** Deltas of the turn behind `after`; a `message_reset` takes back what came before it. */
export function readShownText(sql: SqlPort, turn: number, after: number): string {
  const rows = sql.all(
    `SELECT seq, type, body FROM events WHERE seq > ? AND turn = ? AND type IN ('text_delta', 'message_reset') ORDER BY seq`,
    after,
    turn,
  );
  let text = "";
  for (const row of rows) {
    text = textAt(row, "type") === "message_reset" ? "" : text + deltaText(loadEventBody(sql, row));
  }
  return text;
}
