/** The fetch that stands between the provider package and the network: watched, never redirected, its frames guarded. Rules: UP2, SE41, SE59. */
import { responseLimits } from "../../contracts/model.ts";
import type { ProviderPorts } from "../provider-ports.ts";
import { guardBody } from "./guard-body.ts";
import { guardAnswer, tooLargeFrame } from "./guard-frames.ts";
import type { Body, UpstreamLine } from "./upstream-line.ts";

const MOST_ERROR_BYTES = 65_536;

type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

export interface GuardedFetchParts {
  readonly fetch: ProviderPorts["fetch"];
  readonly line: UpstreamLine;
  /** Whether the request asks for a stream. */
  readonly stream: boolean;
}

/** Bodies are let go of by closing the line, which its owner always does. */
export function createGuardedFetch({ fetch, line, stream }: GuardedFetchParts): SendRequest {
  return async (url, init) => {
    // A redirect would carry the key wherever the answer points; it comes back as a refusal instead.
    const response = await line.watch(fetch(url, { ...init, redirect: "manual" }));
    const { status, statusText, body } = response;
    if (!response.ok) {
      const text = body === null ? "" : await readStart(body, line);
      return new Response(text === "" ? null : text, { status, statusText });
    }
    if (stream && body !== null) {
      return new Response(guardBody(body, line), { status, headers: { "content-type": "text/event-stream" } });
    }
    const answer = body === null ? "" : await readAnswer(body, line);
    return new Response(guardAnswer(answer), { status, headers: { "content-type": "application/json" } });
  };
}

/** The error body as far as it may matter; the rest is never read. */
async function readStart(body: Body, line: UpstreamLine): Promise<string> {
  let text = "";
  let size = 0;
  try {
    for await (const piece of readPieces(body, line)) {
      text += piece.text;
      size += piece.bytes;
      if (size >= MOST_ERROR_BYTES) return text;
    }
  } catch {
    // The status alone says enough when the body is cut.
  }
  return text;
}

/** The whole body, counted as it comes; one that is too large is an error in its place. */
async function readAnswer(body: Body, line: UpstreamLine): Promise<string> {
  let text = "";
  let size = 0;
  for await (const piece of readPieces(body, line)) {
    size += piece.bytes;
    if (size > responseLimits.size) return tooLargeFrame;
    text += piece.text;
  }
  return text;
}

interface Piece {
  readonly text: string;
  readonly bytes: number;
}

async function* readPieces(body: Body, line: UpstreamLine): AsyncGenerator<Piece, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await line.watch(reader.read());
    if (done) return yield { text: decoder.decode(), bytes: 0 };
    yield { text: decoder.decode(value, { stream: true }), bytes: value.byteLength };
  }
}
