/** Reads a request's JSON body: media type, size while reading, scan, parse, in that order. Rules: SE57, SE59, RX11. */
import type { Problem } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { scanJson } from "../wire/json-scan.ts";
import { invalidJson } from "../wire/problem.ts";
import { makeJsonWellFormed } from "../wire/well-formed.ts";

/** Bytes. */
const maxBodyBytes = 1024 * 1024;

export async function readJson(request: Request): Promise<Result<JsonValue, Problem>> {
  if (!isPlainJson(request.headers)) return failWith(unsupported);
  const bytes = await readBounded(request);
  if (bytes === undefined) return failWith(tooLarge);
  const scanned = scanJson(bytes);
  if (!scanned.ok) return failWith(invalidJson(scanned.failure));
  const parsed: JsonValue = JSON.parse(new TextDecoder().decode(bytes));
  return succeed(makeJsonWellFormed(parsed));
}

function isPlainJson(headers: Headers): boolean {
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const type = headers.get("content-type") ?? "";
  return encoding === "identity" && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);
}

/** `undefined` as soon as the body proves too large, whatever `Content-Length` claimed. */
async function readBounded(request: Request): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return undefined;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinChunks(chunks, size);
    size += value.length;
    if (size > maxBodyBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}

function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

const unsupported: Problem = {
  slug: "unsupported-media-type",
  detail: "This route takes application/json without a content encoding.",
};
const tooLarge: Problem = { slug: "payload-too-large", detail: "The body is larger than 1 MiB." };
