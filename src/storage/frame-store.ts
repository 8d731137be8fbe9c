/** Frames: the ToolLoops of a turn, its own and those of its delegates, each with what it was opened with. Rules: RX13, CK3, CK16, DU8. */
import type { JsonObject } from "../contracts/json.ts";
import type { FrameRecord } from "../contracts/turn-journal.ts";
import { bodyName, dropBody, loadBody, storeBody } from "./bodies.ts";
import { insertRow, numberAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { FrameKey } from "./step-store.ts";
import { rootFrame } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

type FrameBody = "record" | "outcome";
const frameBody = ({ turn, frame }: FrameKey, column: FrameBody): string =>
  bodyName("frames", `${turn}.${frame}`, column);

export function insertFrame(sql: SqlPort, key: FrameKey, record: FrameRecord): void {
  const body = storeBody(sql, frameBody(key, "record"), encodeJson(record));
  insertRow(sql, "frames", { turn: key.turn, frame: key.frame, ended: 0, record: body });
}

export interface StoredFrame extends FrameKey {
  readonly record: FrameRecord;
  /** Once it has ended. */
  readonly outcome?: JsonObject;
}

function toStoredFrame(sql: SqlPort, turn: number, row: SqlRow): StoredFrame {
  const key = { turn, frame: textAt(row, "frame") };
  const record = decodeJson(loadBody(sql, frameBody(key, "record"), { row, column: "record" })) as FrameRecord;
  if (numberAt(row, "ended") === 0) return { ...key, record };
  const outcome = decodeJson(loadBody(sql, frameBody(key, "outcome"), { row, column: "outcome" })) as JsonObject;
  return { ...key, record, outcome };
}

export function findFrame(sql: SqlPort, { turn, frame }: FrameKey): StoredFrame | undefined {
  const [row] = sql.all("SELECT frame, ended, record, outcome FROM frames WHERE turn = ? AND frame = ?", turn, frame);
  return row && toStoredFrame(sql, turn, row);
}

/** In no particular order, the turn's own among them once it has begun. */
export const listFrames = (sql: SqlPort, turn: number): readonly StoredFrame[] =>
  sql
    .all("SELECT frame, ended, record, outcome FROM frames WHERE turn = ?", turn)
    .map((row) => toStoredFrame(sql, turn, row));

/** Whose call it is that an event speaks of: of a delegate's frame, its agent and the way there; of the turn's own, nothing. */
export function readFrameContext(
  sql: SqlPort,
  key: FrameKey,
): Pick<FrameRecord, "agent" | "parentAgent" | "parentCalls"> | undefined {
  if (key.frame === rootFrame) return undefined;
  const record = findFrame(sql, key)?.record;
  if (record?.parentAgent === undefined) return undefined;
  const { agent, parentAgent, parentCalls = [] } = record;
  return { agent, parentAgent, parentCalls };
}

/** With the turn's end nobody goes on in them; their messages and calls stay. */
export function dropFrames(sql: SqlPort, turn: number): void {
  for (const row of sql.all(
    "SELECT frame FROM frames WHERE turn = ? AND (record IS NULL OR (ended = 1 AND outcome IS NULL))",
    turn,
  )) {
    const key = { turn, frame: textAt(row, "frame") };
    for (const column of ["record", "outcome"] as const) dropBody(sql, frameBody(key, column));
  }
  sql.run("DELETE FROM frames WHERE turn = ?", turn);
}

/** What a frame came to; false when it had ended before. */
export function endFrame(sql: SqlPort, key: FrameKey, outcome: JsonObject): boolean {
  const { turn, frame } = key;
  const body = storeBody(sql, frameBody(key, "outcome"), encodeJson(outcome));
  return updateRows(sql, { table: "frames", set: { ended: 1, outcome: body }, where: { turn, frame, ended: 0 } });
}
