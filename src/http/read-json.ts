/** Reads a request's JSON body: media type, size while reading, scan, parse, in that order. Rules: SE57, SE59, SE72, RX11. */
import type { Problem } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { makeWellFormed } from "../contracts/well-formed.ts";
import { readBounded } from "../policy/read-bounded.ts";
import { scanJson } from "../wire/json-scan.ts";
import { invalidJson } from "../wire/problem.ts";

/** Bytes. */
const maxBodyBytes = 1024 * 1024;

/** Nothing was sent; a media type may be named all the same, since many clients always name one. */
export const hasNoBody = ({ body, headers }: Request): boolean =>
  body === null || headers.get("content-length") === "0";

export async function readJson(request: Request): Promise<Result<JsonValue, Problem>> {
  if (!isPlainJson(request.headers)) return failWith(unsupported);
  const body = await readBody(request);
  if (!body.ok) return body;
  const bytes = body.value;
  const scanned = scanJson(bytes);
  if (!scanned.ok) return failWith(invalidJson(scanned.failure));
  const parsed: JsonValue = JSON.parse(new TextDecoder().decode(bytes));
  return succeed(makeWellFormed(parsed));
}

function isPlainJson(headers: Headers): boolean {
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const type = headers.get("content-type") ?? "";
  return encoding === "identity" && /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);
}

/** Fails as soon as the body proves too large, whatever `Content-Length` claimed. */
async function readBody({ body, headers }: Request): Promise<Result<Uint8Array, Problem>> {
  if (Number(headers.get("content-length") ?? 0) > maxBodyBytes) return failWith(tooLarge);
  try {
    const bytes = await readBounded(body, maxBodyBytes);
    return bytes === undefined ? failWith(tooLarge) : succeed(bytes);
  } catch {
    // A body breaks off when its sender goes away: that is what the client did, not a bug of ours.
    return failWith(uploadCut);
  }
}

/** One value, so that it can be told from other text that is no JSON. */
export const uploadCut: Problem = invalidJson("syntax");
const unsupported: Problem = {
  slug: "unsupported-media-type",
  detail: "This route takes application/json without a content encoding.",
};
const tooLarge: Problem = { slug: "payload-too-large", detail: "The body is larger than 1 MiB." };
