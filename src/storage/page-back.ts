/** Pages that go back in time: documents newest first, bounded by count and bytes. Rules: SE59. */
import { findPageEnd } from "./page-end.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";

/** Bytes of a page of documents; with what JSON and RPC add it stays far below what one answer may carry. */
const maxDocumentsBytes = 4 * 1024 * 1024;

export interface PageBack {
  /** The `n` of the last one seen; absent: from the newest on. */
  readonly before?: number;
  readonly limit: number;
}

/** Rows of a table that is keyed by `n`. `size` is SQL for the bytes of one: no body is read before the page's end is known. */
export function readPageBack(
  sql: SqlPort,
  {
    table,
    size,
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: PageBack & { readonly table: string; readonly size: string },
): readonly SqlRow[] {
  const sizes = sql.all(`SELECT n, ${size} AS size FROM ${table} WHERE n < ? ORDER BY n DESC LIMIT ?`, before, limit);
  const last = findPageEnd(sizes, "n", maxDocumentsBytes);
  if (last === undefined) return [];
  return sql.all(`SELECT * FROM ${table} WHERE n < ? AND n >= ? ORDER BY n DESC`, before, last);
}
