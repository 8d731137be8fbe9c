/** Whose object this is, and how many conversations it counts. Rules: G16, SE17, SE83. */
import { bytesAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { decodeJson, encodeJson } from "../utf8.ts";

function readMeta(sql: SqlPort, key: string): unknown {
  const [row] = sql.all("SELECT v FROM meta WHERE k = ?", key);
  return row && decodeJson(bytesAt(row, "v"));
}

const writeMeta = (sql: SqlPort, key: string, value: object | number): boolean =>
  sql.run("INSERT OR REPLACE INTO meta (k, v) VALUES (?, ?)", key, encodeJson(value));

export function readTenant(sql: SqlPort): string | undefined {
  return (readMeta(sql, "owner") as { readonly tenant: string } | undefined)?.tenant;
}

export const writeTenant = (sql: SqlPort, tenant: string): boolean => writeMeta(sql, "owner", { tenant });

/** Kept beside the rows, since counting a million of them takes as many reads. */
export const countConversations = (sql: SqlPort): number => (readMeta(sql, "conversations") as number | undefined) ?? 0;

export const moveConversationCount = (sql: SqlPort, change: 1 | -1): boolean =>
  writeMeta(sql, "conversations", countConversations(sql) + change);
