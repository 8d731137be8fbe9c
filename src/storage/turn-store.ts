/** Turns: their rows, their order, which of them is open. Rules: DU4, G12. */
import type {
  RequestTool,
  TurnEnd,
  TurnEndReason,
  TurnEntry,
  TurnRecord,
  TurnState,
  TurnSummary,
} from "../contracts/turn.ts";
import { bodyName, bodySizeSql, loadBody, storeBody } from "./bodies.ts";
import { readEventFloor } from "./conversation-store.ts";
import { type PageBack, readPageBack } from "./page-back.ts";
import { insertRow, nextNumber, numberAt, optionalNumberAt, optionalTextAt, textAt, updateRows } from "./rows.ts";
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
  /** What asked for the cancel, if something did. */
  readonly cancelReason?: CancelReason;
  /** Digest of the body that made it; a turn that came from elsewhere has none. */
  readonly fingerprint?: string;
}

export type CancelReason = Extract<TurnEndReason, "cancel" | "interrupt">;

/** What callers and configuration worded: kept in a body, out of the reach of SQL's text. */
type TurnBody = Pick<TurnRecord, "agent" | "channel" | "subject" | "narrowing" | "metadata">;

export interface NewTurn extends TurnBody {
  readonly id: string;
  readonly entry: TurnEntry;
  readonly acceptedAt: number;
  readonly firstSeq: number;
  readonly fingerprint?: string;
  readonly clientTools?: readonly RequestTool[];
}

/** All of it; what only the run or a repeated post asks for is no part of the record. */
type RequestBody = TurnBody & Pick<NewTurn, "fingerprint" | "clientTools">;

const turnBody = (n: number, column: "request" | "summary"): string => bodyName("turns", n, column);

/** The id of the next accepted turn. */
export const nextTurnId = (sql: SqlPort): string => turnIdOf(nextNumber(sql, "turns"));

const turnIdOf = (n: number): string => `trn_${n}`;
/** Of a conversation that is yet to be made. */
export const firstTurnId = turnIdOf(1);

export function insertTurn(
  sql: SqlPort,
  { id, entry, acceptedAt, firstSeq, fingerprint, clientTools, ...body }: NewTurn,
): TurnRecord {
  // Turns run in this order.
  const n = nextNumber(sql, "turns");
  insertRow(sql, "turns", {
    n,
    id,
    state: "queued",
    entry,
    attempt: 1,
    accepted_ms: acceptedAt,
    first_seq: firstSeq,
    request: storeBody(sql, turnBody(n, "request"), encodeJson({ ...body, fingerprint, clientTools })),
  });
  return { n, id, state: "queued", entry, attempt: 1, acceptedAt, ...body };
}

function toStoredTurn(sql: SqlPort, row: SqlRow): StoredTurn {
  const n = numberAt(row, "n");
  const reason = optionalTextAt(row, "reason") as TurnEndReason | undefined;
  const finishedAt = optionalNumberAt(row, "finished_ms");
  const lastSeq = optionalNumberAt(row, "last_seq");
  const cancelReason = optionalTextAt(row, "cancel_reason") as CancelReason | undefined;
  const load = (column: "request" | "summary"): unknown =>
    decodeJson(loadBody(sql, turnBody(n, column), { row, column }));
  const { fingerprint, clientTools: _tools, ...body } = load("request") as RequestBody;
  const turn: TurnRecord = {
    ...body,
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
    ...(cancelReason === undefined ? {} : { cancelReason }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(finishedAt === undefined ? {} : { summary: load("summary") as TurnSummary }),
    ...(lastSeq === undefined ? {} : { lastSeq }),
  };
}

export function findTurn(sql: SqlPort, id: string): StoredTurn | undefined {
  const [row] = sql.all("SELECT * FROM turns WHERE id = ?", id);
  return row && toStoredTurn(sql, row);
}

/** What the turn's request brought. */
export function readRequestTools(sql: SqlPort, n: number): readonly RequestTool[] {
  const [row] = sql.all("SELECT request FROM turns WHERE n = ?", n);
  if (row === undefined) return [];
  const request = decodeJson(loadBody(sql, turnBody(n, "request"), { row, column: "request" })) as RequestBody;
  return request.clientTools ?? [];
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

/** The turn that came to its end last. */
export function findLastEnded(sql: SqlPort): StoredTurn | undefined {
  const [row] = sql.all("SELECT * FROM turns WHERE finished_ms IS NOT NULL ORDER BY last_seq DESC LIMIT 1");
  return row && toStoredTurn(sql, row);
}

/** The turn that an event of the log belongs to. */
export function findTurnOfEvent(sql: SqlPort, seq: number): StoredTurn | undefined {
  const [row] = sql.all("SELECT t.* FROM events e JOIN turns t ON t.n = e.turn WHERE e.seq = ?", seq);
  return row && toStoredTurn(sql, row);
}

const turnSize = `${bodySizeSql("turns", "n", "request")} + ${bodySizeSql("turns", "n", "summary")}`;

/** Newest first, ending at `limit` or at about 4 MiB; `before` is the `n` of the last one seen. */
export function listTurns(sql: SqlPort, page: PageBack): StoredTurn[] {
  return readPageBack(sql, { table: "turns", size: turnSize, ...page }).map((row) => toStoredTurn(sql, row));
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

/** Id of the turn that could start now: the next one in the queue, while no other is under way. */
export function findStartable(sql: SqlPort): string | undefined {
  const [row] = sql.all(
    `SELECT id, state FROM turns INDEXED BY open_turns WHERE ${openTurnTerm} ORDER BY state = 'queued', n LIMIT 1`,
  );
  return row?.["state"] === "queued" ? textAt(row, "id") : undefined;
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

export function readCancelReason(sql: SqlPort, n: number): CancelReason | undefined {
  const [row] = sql.all("SELECT cancel_reason FROM turns WHERE n = ?", n);
  return row && (optionalTextAt(row, "cancel_reason") as CancelReason | undefined);
}

/** Compare-and-set from one state to another; false when the turn was elsewhere. */
export function moveTurn(sql: SqlPort, { n, attempt }: HeldTurn, move: { from: TurnState; to: TurnState }): boolean {
  return updateRows(sql, { table: "turns", set: { state: move.to }, where: { n, state: move.from, attempt } });
}

/** The first mark stands. */
export function markCancel(sql: SqlPort, n: number, { at, reason }: { at: number; reason: CancelReason }): void {
  updateRows(sql, { table: "turns", set: { cancel_ms: at, cancel_reason: reason }, where: { n } });
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
