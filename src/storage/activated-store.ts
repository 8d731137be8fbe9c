/** The activated tools: what each agent of this conversation has loaded by search, in the order in which it did; of a delegate's frame, its own. Rules: TS15, DM8, DG7. */
import type { Activation } from "../contracts/turn-journal.ts";
import { insertRow, textAt, bytesAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import type { FrameKey } from "./step-store.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** Oldest first. */
export function listActivated(sql: SqlPort, { agent, frame }: { agent: string; frame: string }): readonly Activation[] {
  return sql
    .all("SELECT tool, tool_def FROM activated WHERE agent = ? AND frame = ? ORDER BY pos", agent, frame)
    .map((row) => ({ agent, tool: decodeUtf8(bytesAt(row, "tool")), definitionHash: textAt(row, "tool_def") }));
}

/** Behind all others; what is there already keeps its place. Nothing here moves or removes an entry. */
export function addActivated(sql: SqlPort, { turn, frame }: FrameKey, activations: readonly Activation[]): void {
  for (const { agent, tool, definitionHash } of activations) {
    const name = encodeUtf8(tool);
    const where = "agent = ? AND frame = ? AND tool = ?";
    const known = sql.all(`SELECT 1 AS found FROM activated WHERE ${where}`, agent, frame, name);
    if (known.length > 0) continue;
    insertRow(sql, "activated", { agent, frame, tool: name, tool_def: definitionHash, turn });
  }
}
