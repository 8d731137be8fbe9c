/** T13, its first half: the mark that no call starts behind. Rules: G11, DI5. */
import { updateRows } from "../rows.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurn } from "../turn-store.ts";

/** False when there is no such turn or it has ended; asking again changes nothing and is true. */
export function askCancel({ sql, now }: StoreContext, turn: string): boolean {
  return sql.transaction(() => {
    const found = findTurn(sql, turn);
    if (found === undefined || found.turn.finishedAt !== undefined) return false;
    if (!found.cancelAsked) updateRows(sql, { table: "turns", set: { cancel_ms: now() }, where: { n: found.turn.n } });
    return true;
  });
}
