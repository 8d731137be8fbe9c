/** The fetch that stands between the provider package and the network: watched, never redirected, its frames guarded. Rules: UP2, UP11, SE41. */
import { createParser } from "eventsource-parser";
import type { ProviderPorts } from "../provider-ports.ts";
import { createFrameGuard, guardAnswer } from "./guard-frames.ts";
import type { UpstreamLine } from "./upstream-line.ts";

const MOST_ERROR_BYTES = 65_536;

type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** Bodies are let go of by closing the line, which its owner always does. */
export function createGuardedFetch(fetch: ProviderPorts["fetch"], line: UpstreamLine): SendRequest {
  return async (url, init) => {
    // A redirect would carry the key wherever the answer points; it comes back as a refusal instead.
    const response = await line.watch(fetch(url, { ...init, redirect: "manual" }));
    const { status, statusText, body } = response;
    if (!response.ok) {
      const text = body === null ? "" : await readStart(body, line);
      return new Response(text === "" ? null : text, { status, statusText });
    }
    const wantsStream = typeof init.body === "string" && /"stream":true/.test(init.body);
    if (wantsStream && body !== null) {
      return new Response(guardBody(body, line), { status, headers: { "content-type": "text/event-stream" } });
    }
    return new Response(guardAnswer(await line.watch(response.text())), {
      status,
      headers: { "content-type": "application/json" },
    });
  };
}

/** The error body as far as it may matter; the rest is never read. */
async function readStart(body: ReadableStream<Uint8Array>, line: UpstreamLine): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let bytes = 0; bytes < MOST_ERROR_BYTES;) {
      const { done, value } = await line.watch(reader.read());
      if (done) return text;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    return text;
  } catch {
    // The status alone says enough when the body is cut.
    return text;
  }
}

function guardBody(body: ReadableStream<Uint8Array>, line: UpstreamLine): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const guard = createFrameGuard();
  let ended = false;
  const ready: (string | undefined)[] = [];
  const parser = createParser({
    onEvent: (frame) => {
      if (frame.data.trim() === "[DONE]") ended = true;
      else if (!ended) ready.push(guard.take(frame));
    },
  });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (ready.length === 0 && !ended) {
        const { done, value } = await line.watch(reader.read());
        if (done) ended = true;
        else parser.feed(decoder.decode(value, { stream: true }));
      }
      if (ended) ready.push(guard.end());
      const text = ready.splice(0).map(encodeFrame).join("");
      controller.enqueue(encoder.encode(text));
      if (ended) controller.close();
    },
  });
}

function encodeFrame(data: string | undefined): string {
  if (data === undefined) return "";
  const lines = data.split(/\r\n|\r|\n/).map((part) => `data: ${part}\n`);
  return `${lines.join("")}\n`;
}
