/** Memory: what each agent of this conversation was told to remember, oldest first, the oldest leaving when there is too much. Rules: TC33, DG5. */
import type { MemoryEntry } from "../contracts/tool.ts";
import { bytesAt, insertRow, nextNumber } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import { decodeJson, encodeJson, encodeUtf8 } from "./utf8.ts";

/** Entries of one agent. */
const MOST_ENTRIES = 1000;

export const listMemory = (sql: SqlPort, agent: string): readonly MemoryEntry[] =>
  sql
    .all("SELECT body FROM memories WHERE agent = ? ORDER BY n", agent)
    .map((row) => decodeJson(bytesAt(row, "body")) as MemoryEntry);

/** An entry that replaces another is the newest all the same. For use inside a transaction. True when it replaced one. */
export function addMemory(sql: SqlPort, agent: string, entry: MemoryEntry): boolean {
  const key = entry.key === undefined ? null : encodeUtf8(entry.key);
  const replaced = key !== null && sql.run("DELETE FROM memories WHERE agent = ? AND k = ?", agent, key);
  insertRow(sql, "memories", { n: nextNumber(sql, "memories"), agent, k: key, body: encodeJson(entry) });
  const oldest = "SELECT n FROM memories WHERE agent = ? ORDER BY n DESC LIMIT -1 OFFSET ?";
  sql.run(`DELETE FROM memories WHERE n IN (${oldest})`, agent, MOST_ENTRIES);
  return replaced;
}
