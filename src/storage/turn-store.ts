/** Turns: their rows, their order, which of them is open. Rules: DU4, G12. */
import type { TurnEnd, TurnEndReason, TurnEntry, TurnRecord, TurnState, TurnSummary } from "../contracts/turn.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { readEventFloor } from "./conversation-store.ts";
import { insertRow, numberAt, optionalNumberAt, optionalTextAt, textAt, updateRows } from "./rows.ts";
import { openTurnTerm } from "./schema.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { HeldTurn } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export interface StoredTurn {
  readonly turn: TurnRecord;
  /** Once it has ended. */
  readonly summary?: TurnSummary;
  /** `seq` of its `turn_accepted`. */
  readonly firstSeq: number;
  /** `seq` of its `turn_finished`. */
  readonly lastSeq?: number;
  readonly cancelAsked: boolean;
}

/** What callers and configuration worded: kept in a body, out of the reach of SQL's text. */
type TurnBody = Pick<TurnRecord, "agent" | "channel" | "subject" | "narrowing" | "metadata">;

export interface NewTurn extends TurnBody {
  readonly id: string;
  readonly entry: TurnEntry;
  readonly acceptedAt: number;
  readonly firstSeq: number;
}

const turnBody = (n: number, column: "request" | "summary"): string => bodyName("turns", n, column);

/** The number that the next accepted turn gets: turns run in this order. */
export function nextTurnNumber(sql: SqlPort): number {
  const [row] = sql.all("SELECT coalesce(max(n), 0) + 1 AS n FROM turns");
  return row === undefined ? 1 : numberAt(row, "n");
}

export function insertTurn(sql: SqlPort, { id, entry, acceptedAt, firstSeq, ...body }: NewTurn): TurnRecord {
  const n = nextTurnNumber(sql);
  insertRow(sql, "turns", {
    n,
    id,
    state: "queued",
    entry,
    attempt: 1,
    accepted_ms: acceptedAt,
    first_seq: firstSeq,
    request: storeBody(sql, turnBody(n, "request"), encodeJson(body)),
  });
  return { n, id, state: "queued", entry, attempt: 1, acceptedAt, ...body };
}

function toStoredTurn(sql: SqlPort, row: SqlRow): StoredTurn {
  const n = numberAt(row, "n");
  const reason = optionalTextAt(row, "reason") as TurnEndReason | undefined;
  const finishedAt = optionalNumberAt(row, "finished_ms");
  const lastSeq = optionalNumberAt(row, "last_seq");
  const load = (column: "request" | "summary"): unknown =>
    decodeJson(loadBody(sql, turnBody(n, column), { row, column }));
  const turn: TurnRecord = {
    ...(load("request") as TurnBody),
    n,
    id: textAt(row, "id"),
    state: textAt(row, "state") as TurnState,
    entry: textAt(row, "entry") as TurnEntry,
    attempt: numberAt(row, "attempt"),
    acceptedAt: numberAt(row, "accepted_ms"),
    ...(reason === undefined ? {} : { reason }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
  return {
    turn,
    firstSeq: numberAt(row, "first_seq"),
    cancelAsked: optionalNumberAt(row, "cancel_ms") !== undefined,
    ...(finishedAt === undefined ? {} : { summary: load("summary") as TurnSummary }),
    ...(lastSeq === undefined ? {} : { lastSeq }),
  };
}

export function findTurn(sql: SqlPort, id: string): StoredTurn | undefined {
  const [row] = sql.all("SELECT * FROM turns WHERE id = ?", id);
  return row && toStoredTurn(sql, row);
}

/** For those who need no more of it than that. */
export function readTurnState(sql: SqlPort, id: string): TurnState | undefined {
  const [row] = sql.all("SELECT state FROM turns WHERE id = ?", id);
  return row && (textAt(row, "state") as TurnState);
}

export function findTurnByNumber(sql: SqlPort, n: number): StoredTurn | undefined {
  const [row] = sql.all("SELECT * FROM turns WHERE n = ?", n);
  return row && toStoredTurn(sql, row);
}

/** Newest first; `before` is the `n` of the last one seen. */
export function listTurns(sql: SqlPort, page: { readonly before?: number; readonly limit: number }): StoredTurn[] {
  const before = page.before ?? Number.MAX_SAFE_INTEGER;
  return sql
    .all("SELECT * FROM turns WHERE n < ? ORDER BY n DESC LIMIT ?", before, page.limit)
    .map((row) => toStoredTurn(sql, row));
}

/** The turn that runs or waits for someone; there is never a second one. */
export function findActiveTurn(sql: SqlPort): StoredTurn | undefined {
  const [row] = sql.all(
    `SELECT * FROM turns INDEXED BY open_turns WHERE ${openTurnTerm} AND state <> 'queued' ORDER BY n LIMIT 1`,
  );
  return row && toStoredTurn(sql, row);
}

/** The queued turn whose time it is next. */
export function findNextQueued(sql: SqlPort): StoredTurn | undefined {
  const [row] = sql.all(
    `SELECT * FROM turns INDEXED BY open_turns WHERE ${openTurnTerm} AND state = 'queued' ORDER BY n LIMIT 1`,
  );
  return row && toStoredTurn(sql, row);
}

export function countQueued(sql: SqlPort): number {
  const [row] = sql.all(
    `SELECT count(*) AS queued FROM turns INDEXED BY open_turns WHERE ${openTurnTerm} AND state = 'queued'`,
  );
  return row === undefined ? 0 : numberAt(row, "queued");
}

export interface TurnHold {
  readonly state: TurnState;
  readonly attempt: number;
  readonly cancelAsked: boolean;
  /** Of the event log, for whoever writes to it next. */
  readonly lastSeq: number;
}

/** What every guard asks for, in one statement. */
export function readHold(sql: SqlPort, n: number): TurnHold | undefined {
  const [row] = sql.all(
    "SELECT state, attempt, cancel_ms, (SELECT max(seq) FROM events) AS seq FROM turns WHERE n = ?",
    n,
  );
  return (
    row && {
      state: textAt(row, "state") as TurnState,
      attempt: numberAt(row, "attempt"),
      cancelAsked: optionalNumberAt(row, "cancel_ms") !== undefined,
      lastSeq: optionalNumberAt(row, "seq") ?? readEventFloor(sql),
    }
  );
}

/** Compare-and-set from one state to another; false when the turn was elsewhere. */
export function moveTurn(sql: SqlPort, { n, attempt }: HeldTurn, move: { from: TurnState; to: TurnState }): boolean {
  return updateRows(sql, { table: "turns", set: { state: move.to }, where: { n, state: move.from, attempt } });
}

export interface TurnEnding {
  readonly from: TurnState;
  readonly state: TurnEnd;
  readonly summary: TurnSummary;
  readonly finishedAt: number;
  readonly lastSeq: number;
}

export function endTurn(sql: SqlPort, { n, attempt }: HeldTurn, ending: TurnEnding): boolean {
  const { from, state, summary, finishedAt, lastSeq } = ending;
  const set = {
    state,
    reason: summary.reason ?? null,
    finished_ms: finishedAt,
    last_seq: lastSeq,
    summary: storeBody(sql, turnBody(n, "summary"), encodeJson(summary)),
  };
  return updateRows(sql, { table: "turns", set, where: { n, state: from, attempt } });
}
