/** SSE bytes, read back by an independent parser. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../src/contracts/turn-event.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";
import { encodeRetry, encodeSseFrame, endComment, keepAlive, openingBlock, sseHeaders } from "../../src/wire/sse.ts";

interface Read {
  readonly messages: EventSourceMessage[];
  readonly comments: string[];
  readonly retries: number[];
}

function read(...chunks: string[]): Read {
  const seen: Read = { messages: [], comments: [], retries: [] };
  const parser = createParser({
    onEvent: (message) => seen.messages.push(message),
    onComment: (comment) => seen.comments.push(comment.trim()),
    onRetry: (ms) => seen.retries.push(ms),
    onError: (error) => expect.unreachable(error.message),
  });
  for (const chunk of chunks) parser.feed(chunk);
  return seen;
}

const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\r\nevent: turn_finished\rdata: {}\n\n",
        "\r",
        "\n",
        "\u2028",
        "\u2029",
        "id: 1",
        ":",
        "\0",
        "\ufeff",
      ),
    )
    .map((pieces) => pieces.join("")),
);
const lineOf = (text: string, seq: number): string => {
  const event: TurnEvent = {
    type: "text_delta",
    turn: "trn_1",
    agent: "assistant",
    channel: "http",
    text,
    messageId: "msg_1",
  };
  return encodeTurnEvent(event, { seq, at: 0, conversation: "conv_0123456789abcdef" });
};

describe("frames", () => {
  test("[SE55][SS2] whatever text an event holds, a parser reads exactly the frames that were written", () => {
    fc.assert(
      fc.property(fc.array(hostileText, { maxLength: 5 }), fc.nat(), (texts, cut) => {
        const bodies = texts.map((text, index) => lineOf(text, index + 1));
        const frames = bodies.map((body, index) => encodeSseFrame({ seq: index + 1, type: "text_delta", body }));
        const stream = openingBlock + frames.map((frame) => frame + keepAlive).join("");
        const at = cut % (stream.length + 1);
        const { messages } = read(stream.slice(0, at), stream.slice(at));
        expect(messages).toEqual(bodies.map((data, index) => ({ id: String(index + 1), event: "text_delta", data })));
        expect(messages.map(({ data }) => JSON.parse(data).text)).toEqual(texts);
      }),
    );
  });

  test("[SS2] the bytes are LF only and hold no raw line separator of Unicode", () => {
    const frame = encodeSseFrame({ seq: 7, type: "text_delta", body: lineOf("a\r\n\u2028\u2029b", 7) });
    expect(frame).toMatch(/^id: 7\nevent: text_delta\ndata: \{[^\r\n\u2028\u2029]*\}\n\n$/);
    expect(frame).toContain(String.raw`a\r\n\u2028\u2029b`);
  });

  test("[SS5] a frame without seq has no id", () => {
    expect(encodeSseFrame({ type: "text_delta", body: "{}" })).toBe("event: text_delta\ndata: {}\n\n");
  });

  test.each([[""], ["{}\n"], ["{\r}"]])("[SE55] a body that is no single line (%j) is never written", (body) => {
    expect(() => encodeSseFrame({ seq: 1, type: "text_delta", body })).toThrow(TypeError);
  });
});

describe("control lines", () => {
  test("[SS3][SS4] opening, keep-alive, retry and end dispatch nothing and leave no blank line", () => {
    const stream = openingBlock + keepAlive + keepAlive + encodeRetry(5000) + endComment;
    expect(stream).not.toContain("\n\n");
    expect(read(stream)).toEqual({
      messages: [],
      comments: ["open", "keep-alive", "keep-alive", "end"],
      retries: [2000, 5000],
    });
  });

  test("[SS3][SS4] their exact bytes", () => {
    expect(openingBlock).toBe("retry: 2000\n: open\n");
    expect(keepAlive).toBe(": keep-alive\n");
    expect(encodeRetry(30_000)).toBe("retry: 30000\n");
  });

  test("[SS1] the headers of a stream", () => {
    expect(sseHeaders).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  });
});
