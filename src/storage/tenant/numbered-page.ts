/** Pages by number: the next number of a list, and one page of what was read with one row too many. */
import type { Page } from "../../contracts/tenant.ts";
import { numberAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";

export function nextNumber(sql: SqlPort, table: "conversations" | "approvals"): number {
  const [row] = sql.all(`SELECT coalesce(max(n), 0) + 1 AS n FROM ${table}`);
  return row === undefined ? 1 : numberAt(row, "n");
}

/** `found` holds one item more than `limit` when there is more. */
export const toPage = <Item>(found: readonly Item[], limit: number): Page<Item> => ({
  items: found.slice(0, limit),
  more: found.length > limit,
});
