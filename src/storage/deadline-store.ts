/** Deadlines: what is to happen by itself, and when; every change also sets the object's one alarm. Rules: G10, DU24–DU26. */
import { insertRow, numberAt, optionalNumberAt, textAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";

/** `ref` says of what: the id of a turn for `start` and `heartbeat`, of an approval, of a call for `client`; `outbox` is the one of its kind. */
export type DeadlineKind = "start" | "heartbeat" | "approval" | "client" | "outbox";

export interface Deadline {
  readonly kind: DeadlineKind;
  readonly ref: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** As it was found: the kind may be that of another release. */
export interface DueDeadline {
  readonly kind: string;
  readonly ref: string;
  readonly at: number;
  /** How often it has failed. */
  readonly tries: number;
}

type DeadlineContext = Pick<StoreContext, "sql" | "setAlarm">;

const maxTries = 8;
/** Milliseconds. */
const firstDelay = 5000;
const longestDelay = 3_600_000;

/** Epoch milliseconds of the one that comes first; absent while nothing is to happen by itself. */
export function findNextDeadline(sql: SqlPort): number | undefined {
  const [row] = sql.all("SELECT min(at_ms) AS at FROM deadlines WHERE parked = 0");
  return row && optionalNumberAt(row, "at");
}

/** For use inside the transaction that changed one. */
export const rearm = ({ sql, setAlarm }: DeadlineContext): void => setAlarm(findNextDeadline(sql));

/** For use inside the transaction that makes them. */
export function addDeadlines(context: DeadlineContext, deadlines: readonly Deadline[]): void {
  for (const { kind, ref, at } of deadlines) {
    insertRow(context.sql, "deadlines", { kind, ref, at_ms: at, tries: 0, parked: 0 });
  }
  if (deadlines.length > 0) rearm(context);
}

/** For use inside the transaction in which the thing itself happens, or no longer can. */
export function removeDeadline(context: DeadlineContext, { kind, ref }: Pick<Deadline, "kind" | "ref">): void {
  if (context.sql.run("DELETE FROM deadlines WHERE kind = ? AND ref = ?", kind, ref)) rearm(context);
}

/** For use inside a transaction: there from now on, at this time and no other. */
export function moveDeadline(context: DeadlineContext, { kind, ref, at }: Deadline): void {
  context.sql.run(
    `INSERT INTO deadlines (kind, ref, at_ms, tries, parked) VALUES (?, ?, ?, 0, 0)
     ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, tries = 0, parked = 0`,
    kind,
    ref,
    at,
  );
  rearm(context);
}

/** Of a kind that has one deadline at most: the one wanted, as it is if it is there already, or none. */
export function keepDeadline(context: DeadlineContext, kind: DeadlineKind, wanted?: Omit<Deadline, "kind">): void {
  const { sql } = context;
  const removed = sql.run("DELETE FROM deadlines WHERE kind = ? AND ref IS NOT ?", kind, wanted?.ref ?? null);
  const added =
    wanted !== undefined &&
    sql.run(
      "INSERT INTO deadlines (kind, ref, at_ms, tries, parked) VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING",
      kind,
      wanted.ref,
      wanted.at,
    );
  if (removed || added) rearm(context);
}

/** Oldest first. Due is what has `at <= now`, however late the alarm came. */
export function listDue(sql: SqlPort, now: number, limit: number): readonly DueDeadline[] {
  return sql
    .all(
      "SELECT kind, ref, at_ms, tries FROM deadlines WHERE parked = 0 AND at_ms <= ? ORDER BY at_ms, kind, ref LIMIT ?",
      now,
      limit,
    )
    .map((row) => ({
      kind: textAt(row, "kind"),
      ref: textAt(row, "ref"),
      at: numberAt(row, "at_ms"),
      tries: numberAt(row, "tries"),
    }));
}

/**
 * For one that was to be dealt with: still there as it was found, it has failed once more, waits longer, and in the end is parked.
 * `gone` when it was dealt with or set anew.
 */
export function backOff(sql: SqlPort, due: DueDeadline, now: number): "gone" | "waits" | "parked" {
  const tries = due.tries + 1;
  const parked = tries >= maxTries;
  const failed = sql.run(
    "UPDATE deadlines SET tries = ?, parked = ?, at_ms = ? WHERE kind = ? AND ref = ? AND at_ms = ?",
    tries,
    Number(parked),
    now + Math.min(firstDelay * 2 ** due.tries, longestDelay),
    due.kind,
    due.ref,
    due.at,
  );
  if (!failed) return "gone";
  return parked ? "parked" : "waits";
}

/** How many were given up on. */
export function countParked(sql: SqlPort): number {
  const [row] = sql.all("SELECT count(*) AS parked FROM deadlines WHERE parked = 1");
  return row === undefined ? 0 : numberAt(row, "parked");
}
