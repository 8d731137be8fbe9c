/** Builds successful replies: documents, streams of an object passed on, streams that end at once. Rules: SS1, SS9, SS12, DU32. */
import type { Problem } from "../contracts/errors.ts";
import { type Result, succeed } from "../contracts/result.ts";
import { encodeRetry, endComment, openingBlock, sseHeaders } from "../wire/sse.ts";
import type { Answer } from "./route.ts";

type ReplyHeaders = Readonly<Record<string, string>>;

export const respondJson = (document: object, status: 200 | 201 | 202 = 200, headers: ReplyHeaders = {}): Answer =>
  respondJsonText(JSON.stringify(document), status, headers);

export const respondJsonText = (text: string, status: 200 | 201 | 202 = 200, headers: ReplyHeaders = {}): Answer =>
  succeed(new Response(text, { status, headers: { ...headers, "content-type": "application/json" } }));

/** The object's own bytes, status and headers, with ours beside them. */
export function passOn(response: Response, headers: ReplyHeaders = {}): Answer {
  const passed = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) passed.headers.set(name, value);
  return succeed(passed);
}

/** A stream with nothing left to send: it is complete, and never a 204 on a POST, which readers repeat for ever. */
export const respondEndedStream = (headers: ReplyHeaders): Answer => respondStream(openingBlock + endComment, headers);

/** A stream cut before its first event: the client comes back with the cursor it has. */
export const respondCutStream = (headers: ReplyHeaders = {}): Answer => respondStream(encodeRetry(5000), headers);

/** A refusal of a stream that may be gone in a moment: the object cannot be reached, or all its places are taken. */
export async function isForNow(stream: Result<Response, Problem>): Promise<boolean> {
  if (!stream.ok) return true;
  if (stream.value.status !== 429) return false;
  await stream.value.body?.cancel();
  return true;
}

const respondStream = (text: string, headers: ReplyHeaders): Answer =>
  succeed(new Response(text, { headers: { ...headers, ...sseHeaders } }));
