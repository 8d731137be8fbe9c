/** T6: what was prepared and judged is kept, so that a batch that is left open in its middle need not be prepared again. Rules: CP20, CK5, DI14. */
import type { PreparedRow } from "../../contracts/call.ts";
import { markPrepared } from "../call-moves.ts";
import type { SqlPort } from "../sql-port.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** For use inside a transaction. A call that names an approval waits for it, any other may run. */
export function writeReady(sql: SqlPort, row: PreparedRow): void {
  const to = row.approvalId === undefined ? "ready" : "awaiting_approval";
  if (!markPrepared(sql, row, to)) throw new Error(`call ${row.call.callId} was prepared before`);
}

export function readyCalls(context: TurnContext, rows: readonly PreparedRow[]): void {
  context.sql.transaction(() => {
    requireHold(context);
    for (const row of rows) writeReady(context.sql, row);
  });
}
