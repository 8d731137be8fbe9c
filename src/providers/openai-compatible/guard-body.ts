/** The body of a streamed answer, frame by guarded frame, read no further than to its end. Rules: UP2, UP11, SE59. */
import { createParser } from "eventsource-parser";
import { responseLimits } from "../../contracts/model.ts";
import { createFrameGuard, tooLargeFrame } from "./guard-frames.ts";
import type { Body, UpstreamLine } from "./upstream-line.ts";

/** How long usage may take behind the finish reason on a connection that nobody closes. */
const USAGE_GRACE_MS = 2000;

export function guardBody(body: Body, line: UpstreamLine): Body {
  const frames = readFrames();
  const chunks = readChunks(body, line);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (!frames.hasReady() && !frames.ended()) {
        const chunk = await chunks.next();
        if (chunk === undefined) frames.end();
        else frames.feed(decoder.decode(chunk, { stream: true }));
        if (frames.finished() && !frames.ended()) chunks.expectEnd();
      }
      controller.enqueue(encoder.encode(frames.takeReady()));
      if (frames.ended()) controller.close();
    },
  });
}

interface Chunks {
  /** Undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** From the first time that this is called on, the end comes within the grace, told or not. */
  expectEnd(): void;
}

function readChunks(body: Body, line: UpstreamLine): Chunks {
  const reader = body.getReader();
  let expected = false;
  let over = false;
  let endWait: (() => void) | undefined;
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (over) return resolve(undefined);
        endWait = () => resolve(undefined);
        line.watch(reader.read()).then(({ value }) => resolve(value), reject);
      }),
    expectEnd: () => {
      if (expected) return;
      expected = true;
      line.wrapUp(USAGE_GRACE_MS, () => {
        over = true;
        endWait?.();
      });
    },
  };
}

/** Guarded frames of the text that is fed to it; nothing is read behind their end. */
function readFrames() {
  const guard = createFrameGuard();
  const ready: (string | undefined)[] = [];
  let ended = false;
  const endWith = (last: string | undefined): void => {
    if (ended) return;
    ended = true;
    ready.push(last);
  };
  const parser = createParser({
    maxBufferSize: responseLimits.size,
    onEvent: (frame) => {
      if (frame.data.trim() === "[DONE]") endWith(guard.end());
      else if (!ended) ready.push(guard.take(frame));
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") endWith(tooLargeFrame);
    },
  });
  return {
    feed: (text: string) => parser.feed(text),
    end: () => endWith(guard.end()),
    hasReady: () => ready.length > 0,
    ended: () => ended,
    finished: () => guard.finished(),
    takeReady: () => ready.splice(0).map(encodeFrame).join(""),
  };
}

function encodeFrame(data: string | undefined): string {
  if (data === undefined) return "";
  const lines = data.split(/\r\n|\r|\n/).map((part) => `data: ${part}\n`);
  return `${lines.join("")}\n`;
}
