/** The allowlist: tools that a person let an agent use "always" in this conversation. Rules: AP14, TS18. */
import { bytesAt, insertRow, textAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** Another agent, tool or definition is another grant. */
export interface Grant {
  readonly agent: string;
  readonly tool: string;
  readonly definitionHash: string;
}

export function isGranted(sql: SqlPort, { agent, tool, definitionHash }: Grant): boolean {
  const where = "agent = ? AND tool = ? AND tool_def = ?";
  return sql.all(`SELECT 1 AS found FROM allowlist WHERE ${where}`, agent, encodeUtf8(tool), definitionHash).length > 0;
}

/** False when it stood already. `approvalId` is the first approval on whose word it stands. */
export function addGrant(sql: SqlPort, grant: Grant, approvalId: string): boolean {
  if (isGranted(sql, grant)) return false;
  const { agent, tool, definitionHash } = grant;
  insertRow(sql, "allowlist", { agent, tool: encodeUtf8(tool), tool_def: definitionHash, approval_id: approvalId });
  return true;
}

export const listGrants = (sql: SqlPort): readonly Grant[] =>
  sql.all("SELECT agent, tool, tool_def FROM allowlist").map((row) => ({
    agent: textAt(row, "agent"),
    tool: decodeUtf8(bytesAt(row, "tool")),
    definitionHash: textAt(row, "tool_def"),
  }));

/** T17: the definition that it was said to is gone. */
export function removeGrant(sql: SqlPort, { agent, tool, definitionHash }: Grant): void {
  const where = "agent = ? AND tool = ? AND tool_def = ?";
  sql.run(`DELETE FROM allowlist WHERE ${where}`, agent, encodeUtf8(tool), definitionHash);
}
