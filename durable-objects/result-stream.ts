/** Result stream: the raw stored result of a call, chunk by chunk, whole or a range of bytes. Rules: BD8, SE54. */
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import { findCall } from "../src/storage/call-store.ts";
import { readResultBytes } from "../src/storage/result-store.ts";
import type { ConversationParts } from "./conversation-parts.ts";

interface ByteRange {
  readonly start: number;
  /** One behind the last byte. */
  readonly end: number;
}

/** One range as RFC 9110 section 14.1.2 words it; anything else, several ranges too, is answered whole. */
export function parseRange(header: string | null, size: number): ByteRange | "whole" | "unsatisfiable" {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (match === null || (first === "" && last === "")) return "whole";
  if (first === "")
    return size === 0 || Number(last) === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(last)), end: size };
  const start = Number(first);
  const end = last === "" ? size : Math.min(size, Number(last) + 1);
  if (last !== "" && Number(last) < start) return "whole";
  return start >= size ? "unsatisfiable" : { start, end };
}

export function streamResult(
  { store: { sql } }: Pick<ConversationParts, "store">,
  callId: string,
  rangeHeader: string | null,
): Result<Response, Problem> {
  const result = findCall(sql, callId)?.result;
  if (result === undefined) return failWith({ slug: "not-found", detail: "There is no stored result of this call." });
  const range = parseRange(rangeHeader, result.size);
  if (range === "unsatisfiable") {
    return failWith({
      slug: "range-not-satisfiable",
      detail: `The stored result has ${result.size} bytes.`,
      headers: { "content-range": `bytes */${result.size}` },
    });
  }
  const { start, end } = range === "whole" ? { start: 0, end: result.size } : range;
  const headers = new Headers({
    "content-type": "text/plain; charset=utf-8",
    "content-length": String(end - start),
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    "x-countersign-complete": String(result.complete),
    etag: `"sha256-${result.digest}"`,
  });
  if (range !== "whole") headers.set("content-range", `bytes ${start}-${end - 1}/${result.size}`);
  const body = fixedLength(readResultBytes(sql, callId, { start, end }), end - start);
  return succeed(new Response(body, { status: range === "whole" ? 200 : 206, headers }));
}

/** Pulled by the reader: no more than a chunk is in memory at once. */
function fixedLength(chunks: Iterable<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  const writer = writable.getWriter();
  const pump = async (): Promise<void> => {
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  };
  pump().catch(() => writer.abort().catch(() => undefined));
  return readable;
}
