/** The end of a page that is bounded by bytes, found by sizes before a body is read. Rules: SE59. */
import { numberAt } from "./rows.ts";
import type { SqlRow } from "./sql-port.ts";

/** `rows` carry `size` and the key, in page order. The key of the last one that fits; the first one always does. */
export function findPageEnd(rows: readonly SqlRow[], key: string, maxBytes: number): number | undefined {
  let bytes = 0;
  let end: number | undefined;
  for (const row of rows) {
    bytes += numberAt(row, "size");
    if (end !== undefined && bytes > maxBytes) break;
    end = numberAt(row, key);
  }
  return end;
}
