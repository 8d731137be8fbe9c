/** The deadline of the outbox: when the tenant is told next, should it not have heard by then. Rules: DU42, DU45, G10. */
import { rearm, removeDeadline } from "./deadline-store.ts";
import { numberAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";

/** Milliseconds from each try to the next. */
const delays = [5000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000] as const;

/**
 * For use inside the transaction that makes something worth telling: the first try comes right behind it. What was given up gets
 * another round of tries.
 */
export function keepOutbox(context: StoreContext): void {
  const placed = context.sql.run(
    `INSERT INTO deadlines (kind, ref, at_ms, tries, parked) VALUES ('outbox', '', ?, 1, 0)
     ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, tries = 1, parked = 0 WHERE parked = 1`,
    context.now() + delays[0],
  );
  if (placed) rearm(context);
}

export const removeOutbox = (context: StoreContext): void => removeDeadline(context, { kind: "outbox", ref: "" });

/** Whether there is anything to tell. */
export const hasOutgoing = (sql: SqlPort): boolean =>
  sql.all("SELECT 1 FROM deadlines WHERE kind = 'outbox'").length > 0;

/** The deadline has come, and another try is made: when the next one would be is written before that. False: this is the last. */
export function takeTry(context: StoreContext): boolean {
  const { sql, now } = context;
  return sql.transaction(() => {
    const [row] = sql.all("SELECT tries FROM deadlines WHERE kind = 'outbox'");
    const delay = delays[row === undefined ? 0 : numberAt(row, "tries")];
    const change = "UPDATE deadlines SET at_ms = ?, tries = tries + 1, parked = ? WHERE kind = 'outbox'";
    if (sql.run(change, now() + (delay ?? delays[0]), Number(delay === undefined))) rearm(context);
    return delay !== undefined;
  });
}
