/** The daily sweep: what was only kept to recognise repetitions goes after a week. Rules: DU44, DU45. */
import type { SqlPort } from "../sql-port.ts";
import { ensureDeadline, putDeadline, removeDeadline, reviveParked } from "./deadline-store.ts";
import { settledTerm } from "./tenant-schema.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Longer than any outbox goes on sending. */
const keptMs = 7 * dayMs;
const mostAtOnce = 500;
/** Milliseconds until the next run while more is due than one takes. */
const soonMs = 60_000;
const sweepKey = { kind: "sweep", ref: "" } as const;

const sweepable = [
  { table: "reservations", key: "conversation, id", closed: settledTerm },
  { table: "turns", key: "conversation, turn", closed: "state = 'ended'" },
  { table: "approvals", key: "n", closed: "closed_ms IS NOT NULL" },
] as const;

/** Something has come to its end: a sweep is due within a day. */
export const keepForSweep = (sql: SqlPort, now: number): void => ensureDeadline(sql, sweepKey, now + dayMs);

/** One run; the next one is set while there is anything left to sweep, so that an idle tenant has no alarm. */
export function sweep(sql: SqlPort, now: number): void {
  let isFull = false;
  let isLeft = false;
  for (const { table, key, closed } of sweepable) {
    const due = `SELECT ${key} FROM ${table} WHERE ${closed} AND closed_ms <= ?`;
    isFull ||= sql.all(`${due} LIMIT ?`, now - keptMs, mostAtOnce + 1).length > mostAtOnce;
    sql.run(`DELETE FROM ${table} WHERE (${key}) IN (${due} ORDER BY closed_ms LIMIT ?)`, now - keptMs, mostAtOnce);
    isLeft ||= sql.all(`SELECT 1 FROM ${table} WHERE ${closed} LIMIT 1`).length > 0;
  }
  const isErasing = reviveParked(sql, "erase", now);
  if (isFull || isLeft || isErasing) putDeadline(sql, sweepKey, now + (isFull ? soonMs : dayMs));
  else removeDeadline(sql, sweepKey);
}
