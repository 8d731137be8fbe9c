/** History: append-only entries by turn, read newest first up to a bound. Rules: DU3, HI2, HI11, G12. */
import type { HistoryEntry, InputPart } from "../contracts/message.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { readShown, shownOf } from "./call-store.ts";
import { insertRow, numberAt, optionalTextAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { FrameKey } from "./step-store.ts";
import { rootFrame } from "./store-context.ts";
import { decodeJson, encodeJson, encodeUtf8 } from "./utf8.ts";

/** Rows whose sizes are looked at in one statement. */
const sizesAtOnce = 256;

interface MessageKey extends FrameKey {
  readonly seq: number;
}

const messageBody = ({ turn, frame, seq }: MessageKey): string =>
  bodyName("messages", `${frame}.${turn}.${seq}`, "body");

/** What an entry takes: its own body, and the text that it borrows from its call's row. */
interface Packed {
  readonly body: Uint8Array;
  readonly size: number;
  readonly callId: string | null;
}

/** A result's text begins with what its call row holds already; only what comes behind it is stored again. */
function pack(sql: SqlPort, entry: HistoryEntry): Packed {
  const shown = entry.kind === "tool" ? readShown(sql, entry.callId) : undefined;
  if (entry.kind !== "tool" || shown === undefined || !entry.text.startsWith(shown)) {
    const body = encodeJson(entry);
    return { body, size: body.byteLength, callId: null };
  }
  const body = encodeJson({ ...entry, text: entry.text.slice(shown.length) });
  return { body, size: body.byteLength + encodeUtf8(shown).byteLength, callId: entry.callId };
}

function unpack(sql: SqlPort, row: SqlRow): HistoryEntry {
  const key = { turn: numberAt(row, "turn"), frame: textAt(row, "frame"), seq: numberAt(row, "seq") };
  const entry = decodeJson(loadBody(sql, messageBody(key), { row, column: "body" })) as HistoryEntry;
  const callId = optionalTextAt(row, "call_id");
  if (callId === undefined || entry.kind !== "tool") return entry;
  return { ...entry, text: shownOf(sql, callId, row) + entry.text };
}

/** For use inside a transaction. Entries of one turn keep their order, whatever was accepted meanwhile. */
export function appendMessages(sql: SqlPort, { turn, frame }: FrameKey, entries: readonly HistoryEntry[]): void {
  const [row] = sql.all("SELECT coalesce(max(seq), 0) AS seq FROM messages WHERE frame = ? AND turn = ?", frame, turn);
  let seq = row === undefined ? 0 : numberAt(row, "seq");
  for (const entry of entries) {
    seq += 1;
    const { body, size, callId } = pack(sql, entry);
    const inline = storeBody(sql, messageBody({ turn, frame, seq }), body);
    insertRow(sql, "messages", { frame, turn, seq, size, call_id: callId, body: inline });
  }
}

export interface HistoryBound extends FrameKey {
  readonly maxBytes: number;
}

/**
 * The oldest entry that still fits, found by sizes alone; the newest one always fits. What waits in the queue behind the turn that
 * asks is not yet history.
 */
function findOldest(sql: SqlPort, { turn, frame, maxBytes }: HistoryBound): MessageKey | undefined {
  let oldest: MessageKey | undefined;
  let bytes = 0;
  let cursor: MessageKey = { turn, frame, seq: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = sql.all(
      `SELECT turn, seq, size FROM messages WHERE frame = ? AND (turn, seq) < (?, ?)
       ORDER BY turn DESC, seq DESC LIMIT ?`,
      frame,
      cursor.turn,
      cursor.seq,
      sizesAtOnce,
    );
    for (const row of rows) {
      bytes += numberAt(row, "size");
      if (oldest !== undefined && bytes > maxBytes) return oldest;
      oldest = { turn: numberAt(row, "turn"), frame, seq: numberAt(row, "seq") };
    }
    if (rows.length < sizesAtOnce || oldest === undefined) return oldest;
    cursor = oldest;
  }
}

/** A bound that fell inside a turn must not leave results without their calls, nor an answer without its question. */
function dropTornHead(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const user = entries.findIndex(({ kind }) => kind === "user");
  if (user >= 0) return entries.slice(user);
  const assistant = entries.findIndex(({ kind }) => kind === "assistant");
  return assistant < 0 ? [] : entries.slice(assistant);
}

/** Oldest first: of the turn's own frame the whole conversation so far, of a delegate's what is its own. Never reads more than the bound. */
export function readHistory(sql: SqlPort, bound: HistoryBound): readonly HistoryEntry[] {
  const oldest = findOldest(sql, bound);
  if (oldest === undefined) return [];
  const rows = sql.all(
    `SELECT m.frame, m.turn, m.seq, m.call_id, m.body, c.shown FROM messages m
     LEFT JOIN calls c ON c.call_id = m.call_id
     WHERE m.frame = ? AND (m.turn, m.seq) >= (?, ?) AND m.turn <= ? ORDER BY m.turn, m.seq`,
    bound.frame,
    oldest.turn,
    oldest.seq,
    bound.turn,
  );
  return dropTornHead(rows.map((row) => unpack(sql, row)));
}

/** What the turn was asked: its first entry, there since it was accepted. */
export function readInput(sql: SqlPort, turn: number): readonly InputPart[] {
  const [row] = sql.all("SELECT * FROM messages WHERE frame = ? AND turn = ? AND seq = 1", rootFrame, turn);
  const entry = row && unpack(sql, row);
  return entry?.kind === "user" ? entry.parts : [];
}
