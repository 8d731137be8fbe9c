/** The event log: dense numbers, pages by count and bytes. Rules: EV1, G3, G4, HC1. */
import type { LoggedEvent, TurnEvent, TurnEventType } from "../contracts/turn-event.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { readEventFloor } from "./conversation-store.ts";
import { keepOutbox } from "./outbox-deadline.ts";
import { findPageEnd } from "./page-end.ts";
import { insertRow, numberAt, optionalNumberAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** Of the bodies; later releases may write others beside it. */
const bodyVersion = 1;
/** Bytes of a page, unless its first event alone is larger. */
const maxPageBytes = 262_144;

/** What the tenant is told of at once (DU42). */
const news: ReadonlySet<TurnEventType> = new Set<TurnEventType>([
  "turn_accepted",
  "turn_started",
  "turn_suspended",
  "turn_resumed",
  "turn_finished",
  "approval_requested",
  "approval_decided",
]);
/** All that it is told of, to compare a row's type with: what an answer used can wait for the next news of its turn. */
export const factTypes = [...news, "usage"].map((type) => `'${type}'`).join(", ");

const eventBody = (seq: number): string => bodyName("events", seq, "body");

/** 0 before the first event. Read from the rows each time, so a rollback takes its numbers back with it. */
export function lastEventSeq(sql: SqlPort): number {
  const [row] = sql.all("SELECT max(seq) AS seq FROM events");
  return (row && optionalNumberAt(row, "seq")) ?? readEventFloor(sql);
}

export interface EventsPlace {
  /** Number of their turn. */
  readonly turn: number;
  /** `lastEventSeq`, if it was just read. */
  readonly after?: number;
}

/** For use inside a transaction; answers the last `seq` given. */
export function insertEvents(context: StoreContext, place: EventsPlace, events: readonly TurnEvent[]): number {
  const { sql, conversation, encodeEvent } = context;
  const at = context.now();
  const { turn, after = lastEventSeq(sql) } = place;
  let seq = after;
  for (const event of events) {
    seq += 1;
    const line = encodeUtf8(encodeEvent(event, { seq, at, conversation }));
    const body = storeBody(sql, eventBody(seq), line);
    const size = line.byteLength;
    insertRow(sql, "events", { seq, turn, type: event.type, version: bodyVersion, at_ms: at, size, body });
  }
  if (events.some(({ type }) => news.has(type))) keepOutbox(context);
  return seq;
}

export interface EventRange {
  /** The cursor: events behind it. */
  readonly after: number;
  readonly limit: number;
  /** Only of the turn with this id; an unknown one has no events. */
  readonly turn?: string;
}

/** Sizes alone, to find the page's end before a body is read. A turn's events lie between its first and last `seq`. */
function readSizes(sql: SqlPort, { after, limit, turn }: EventRange): readonly SqlRow[] {
  if (turn === undefined)
    return sql.all("SELECT seq, size FROM events WHERE seq > ? ORDER BY seq LIMIT ?", after, limit);
  return sql.all(
    `SELECT e.seq, e.size, e.turn FROM turns t
     JOIN events e ON e.turn = t.n AND e.seq BETWEEN max(t.first_seq, ? + 1) AND coalesce(t.last_seq, ?)
     WHERE t.id = ? ORDER BY e.seq LIMIT ?`,
    after,
    Number.MAX_SAFE_INTEGER,
    turn,
    limit,
  );
}

/** The line of JSON of a row that carries `seq` and `body`. */
export function loadEventBody(sql: SqlPort, row: SqlRow): string {
  return decodeUtf8(loadBody(sql, eventBody(numberAt(row, "seq")), { row, column: "body" }));
}

function toLoggedEvent(sql: SqlPort, row: SqlRow): LoggedEvent {
  return { seq: numberAt(row, "seq"), type: textAt(row, "type") as TurnEventType, body: loadEventBody(sql, row) };
}

/** In order; ends at `limit` or at about 256 KiB, whichever is first, and holds at least one event if there is one. */
export function readEvents(sql: SqlPort, range: EventRange): readonly LoggedEvent[] {
  const sizes = readSizes(sql, range);
  const last = findPageEnd(sizes, "seq", maxPageBytes);
  if (last === undefined) return [];
  const turn = sizes[0]?.["turn"] ?? null;
  return sql
    .all(
      "SELECT seq, type, body FROM events WHERE seq > ? AND seq <= ? AND (? IS NULL OR turn = ?) ORDER BY seq",
      range.after,
      last,
      turn,
      turn,
    )
    .map((row) => toLoggedEvent(sql, row));
}
