/** Idempotency keys: which turn a principal's key made, for a day. Rules: G1, DU44. */
import { numberAt, textAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";

/** Milliseconds. */
const keptFor = 24 * 60 * 60 * 1000;
/** An accept adds one row at most, so a few removals each keep the table at a day's worth. */
const removedAtOnce = 8;

export interface IdemKey {
  /** The subject of the caller; tenant and conversation are the object's own. */
  readonly principal: string;
  readonly key: string;
}
export interface IdemRecord extends IdemKey {
  readonly fingerprint: string;
  readonly turn: number;
}

export interface IdemMatch {
  readonly fingerprint: string;
  readonly turn: number;
}

/** A key older than a day is as good as new. */
export function findIdem(sql: SqlPort, { principal, key }: IdemKey, now: number): IdemMatch | undefined {
  const [row] = sql.all(
    "SELECT fingerprint, turn FROM idem WHERE principal = ? AND key = ? AND at_ms > ?",
    principal,
    key,
    now - keptFor,
  );
  return row && { fingerprint: textAt(row, "fingerprint"), turn: numberAt(row, "turn") };
}

export function putIdem(sql: SqlPort, { principal, key, fingerprint, turn }: IdemRecord, now: number): void {
  sql.run(
    "DELETE FROM idem WHERE (principal, key) IN (SELECT principal, key FROM idem WHERE at_ms <= ? LIMIT ?)",
    now - keptFor,
    removedAtOnce,
  );
  sql.run(
    "INSERT OR REPLACE INTO idem (principal, key, fingerprint, turn, at_ms) VALUES (?, ?, ?, ?, ?)",
    principal,
    key,
    fingerprint,
    turn,
    now,
  );
}
