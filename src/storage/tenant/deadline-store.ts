/** Deadlines of a tenant object: what is due when, how often it failed, what was given up. Rules: DU24, DU25, DU26. */
import { numberAt, optionalNumberAt, textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { liveDeadlineTerm } from "./tenant-schema.ts";

/** `lease`: a reservation's. `admission`: a turn that was let in and never heard of. `erase`: rows of a deleted conversation. */
export type DeadlineKind = "lease" | "admission" | "erase" | "sweep";

export interface DeadlineKey {
  readonly kind: DeadlineKind;
  /** Of `lease` and `admission`: conversation and id, joined by a slash, which no conversation's id holds. */
  readonly ref: string;
}
export interface Deadline extends DeadlineKey {
  readonly at: number;
  /** Times that its work has failed. */
  readonly tries: number;
}

const mostAtOnce = 50;
const firstBackoffMs = 5000;
const longestBackoffMs = 3_600_000;

export const joinRef = (conversation: string, id: string): string => `${conversation}/${id}`;

export function splitRef(ref: string): { readonly conversation: string; readonly id: string } {
  const slash = ref.indexOf("/");
  if (slash < 0) throw new Error("a deadline's reference has no slash");
  return { conversation: ref.slice(0, slash), id: ref.slice(slash + 1) };
}

/** Sets or moves it; `at` is epoch milliseconds. */
export function putDeadline(sql: SqlPort, { kind, ref }: DeadlineKey, at: number): void {
  sql.run("INSERT OR REPLACE INTO deadlines (kind, ref, at_ms, tries) VALUES (?, ?, ?, 0)", kind, ref, at);
}

/** One that stands is left where it is. */
export function ensureDeadline(sql: SqlPort, { kind, ref }: DeadlineKey, at: number): void {
  sql.run("INSERT OR IGNORE INTO deadlines (kind, ref, at_ms, tries) VALUES (?, ?, ?, 0)", kind, ref, at);
}

export function removeDeadline(sql: SqlPort, { kind, ref }: DeadlineKey): void {
  sql.run("DELETE FROM deadlines WHERE kind = ? AND ref = ?", kind, ref);
}

/** Oldest first, at most 50; due is what has `at <= now`, whenever the alarm came. */
export function listDue(sql: SqlPort, now: number): Deadline[] {
  return sql
    .all(`SELECT * FROM deadlines WHERE ${liveDeadlineTerm} AND at_ms <= ? ORDER BY at_ms LIMIT ?`, now, mostAtOnce)
    .map((row) => ({
      kind: textAt(row, "kind") as DeadlineKind,
      ref: textAt(row, "ref"),
      at: numberAt(row, "at_ms"),
      tries: numberAt(row, "tries"),
    }));
}

/** Epoch milliseconds; absent while nothing but what was given up is waited for. */
export function findNextDeadline(sql: SqlPort): number | undefined {
  const [row] = sql.all(`SELECT min(at_ms) AS at FROM deadlines WHERE ${liveDeadlineTerm}`);
  return row && optionalNumberAt(row, "at");
}

/** Its work failed: later again, doubling from 5 s to an hour. True when that was the last try, so that it is parked. */
export function postponeDeadline(sql: SqlPort, { kind, ref, tries }: Deadline, now: number): boolean {
  const at = now + Math.min(firstBackoffMs * 2 ** tries, longestBackoffMs);
  sql.run("UPDATE deadlines SET at_ms = ?, tries = tries + 1 WHERE kind = ? AND ref = ?", at, kind, ref);
  return (
    sql.all(`SELECT 1 FROM deadlines WHERE kind = ? AND ref = ? AND NOT (${liveDeadlineTerm})`, kind, ref).length > 0
  );
}

/** What was given up gets another round of tries. True while there is any of its kind, tried or not. */
export function reviveParked(sql: SqlPort, kind: DeadlineKind, now: number): boolean {
  sql.run(`UPDATE deadlines SET at_ms = ?, tries = 0 WHERE kind = ? AND NOT (${liveDeadlineTerm})`, now, kind);
  return sql.all("SELECT 1 FROM deadlines WHERE kind = ? LIMIT 1", kind).length > 0;
}
