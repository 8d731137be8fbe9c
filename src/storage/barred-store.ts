/** Tools that a provider has refused in this conversation, by the hash of their definition: another definition is another try. Rules: SC8. */
import type { BarredTool } from "../contracts/turn-journal.ts";
import type { SqlPort } from "./sql-port.ts";
import { textAt } from "./rows.ts";

export function listBarred(sql: SqlPort): readonly BarredTool[] {
  return sql
    .all("SELECT provider, tool_def FROM barred")
    .map((row) => ({ provider: textAt(row, "provider"), definitionHash: textAt(row, "tool_def") }));
}

export function addBarred(sql: SqlPort, { provider, definitionHash }: BarredTool): void {
  sql.run("INSERT OR IGNORE INTO barred (provider, tool_def) VALUES (?, ?)", provider, definitionHash);
}
