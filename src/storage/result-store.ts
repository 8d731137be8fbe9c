/** Raw results: bytes as the tool returned them, read by byte range or by code points. Rules: BD8, BD9. */
import type { ResultRange, ResultSlice } from "../contracts/tool.ts";
import { findCall } from "./call-store.ts";
import { joinBytes, readChunks, writeChunks } from "./chunks.ts";
import type { SqlPort } from "./sql-port.ts";
import { decodeUtf8 } from "./utf8.ts";

export function storeResult(sql: SqlPort, callId: string, bytes: Uint8Array): void {
  writeChunks(sql, "results", { owner: callId, bytes });
}

/** Lazily, chunk by chunk; `end` is one behind the last byte. What the size is, and whether it is all, is on the call row. */
export function readResultBytes(
  sql: SqlPort,
  callId: string,
  range: { readonly start: number; readonly end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
): Generator<Uint8Array> {
  return readChunks(sql, "results", { owner: callId, ...range });
}

const beginsCodePoint = (byte: number): boolean => (byte & 0xc0) !== 0x80;

interface Scan {
  /** Code points that begin in the bytes seen. */
  seen: number;
  readonly offset: number;
  readonly end: number;
}

/** The bytes of a chunk whose code points lie in the range; a point may have begun in the chunk before. */
function pick(chunk: Uint8Array, scan: Scan): Uint8Array {
  let from = chunk.byteLength;
  let to = chunk.byteLength;
  // Indexed: an iterator over megabytes costs a hundred times as much.
  for (let at = 0; at < chunk.byteLength; at += 1) {
    if (beginsCodePoint(chunk[at] ?? 0)) scan.seen += 1;
    const point = scan.seen - 1;
    if (point >= scan.offset && from === chunk.byteLength) from = at;
    if (point >= scan.end && to === chunk.byteLength) to = at;
  }
  return chunk.subarray(from, Math.max(from, to));
}

/** `total` counts what is stored: of an incomplete result its prefix. */
export function sliceResult(sql: SqlPort, { callId, offset, length }: ResultRange): ResultSlice | undefined {
  const stored = findCall(sql, callId);
  if (stored?.result === undefined) return undefined;
  const { complete, chars } = stored.result;
  const scan: Scan = { seen: 0, offset, end: offset + length };
  const picked: Uint8Array[] = [];
  for (const chunk of readResultBytes(sql, callId)) {
    picked.push(pick(chunk, scan));
    if (complete && scan.seen > scan.end) break;
  }
  return { tool: stored.call.tool, text: decodeUtf8(joinBytes(picked)), total: complete ? chars : scan.seen };
}
