/** Byte strings of any length, cut into rows that SQL may hold. Rules: DU1, BD8. */
import { maxValueBytes } from "./bindings.ts";
import { bytesAt, insertRow } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";

/** Raw results leave by their own retention, other large bodies with their rows: hence two tables of one shape. */
export type ChunkTable = "results" | "overflow";

export interface ChunkedBytes {
  readonly owner: string;
  readonly bytes: Uint8Array;
}

/** No bytes are no rows. */
export function writeChunks(sql: SqlPort, table: ChunkTable, { owner, bytes }: ChunkedBytes): void {
  for (let start = 0; start < bytes.byteLength; start += maxValueBytes) {
    const part = bytes.subarray(start, start + maxValueBytes);
    insertRow(sql, table, { owner, chunk: start / maxValueBytes, bytes: part });
  }
}

export interface ByteRange {
  readonly owner: string;
  /** First byte, from 0. */
  readonly start: number;
  /** One behind the last byte. */
  readonly end: number;
}

/** Reads lazily, one finished statement a chunk: no cursor is open while the consumer awaits. Stops where the rows do. */
export function* readChunks(sql: SqlPort, table: ChunkTable, range: ByteRange): Generator<Uint8Array> {
  const { owner, start, end } = range;
  for (let chunk = Math.floor(start / maxValueBytes); chunk * maxValueBytes < end; chunk += 1) {
    const [row] = sql.all(`SELECT bytes FROM ${table} WHERE owner = ? AND chunk = ?`, owner, chunk);
    if (row === undefined) return;
    const base = chunk * maxValueBytes;
    yield bytesAt(row, "bytes").subarray(Math.max(start - base, 0), end - base);
  }
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.byteLength;
  }
  return joined;
}

export function deleteChunks(sql: SqlPort, table: ChunkTable, owner: string): void {
  sql.run(`DELETE FROM ${table} WHERE owner = ?`, owner);
}
