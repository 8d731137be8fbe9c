/** What an answer may hold: its size as bytes, calls and frames, its counts of tokens, and how long its end may take. */
import { describe, expect, test } from "vitest";
import { createOpenAICompatibleProvider } from "../../../src/providers/openai-compatible/openai-compatible-provider.ts";
import { guardBody } from "../../../src/providers/openai-compatible/guard-body.ts";
import { openLine } from "../../../src/providers/openai-compatible/upstream-line.ts";
import type { ProviderPorts } from "../../../src/providers/provider-ports.ts";
import {
  callsOf,
  collect,
  faultOf,
  neverCancelled,
  portsOf,
  requestOf,
  settingsOf,
  textOf,
  timersOf,
  toolOf,
} from "../support/provider-fixtures.ts";
import {
  bytesOf,
  chunk,
  openStream,
  sendChunks,
  sse,
  startRawServer,
  toolDelta,
  usage,
} from "../support/raw-server.ts";

const MIB = 1024 * 1024;
const tooLarge = { kind: "cut", message: "the response is larger than 4 MiB" };
const tools = [toolOf("f", {})];

const providerAt = (url: string, ports: Partial<ProviderPorts> = {}) =>
  createOpenAICompatibleProvider({
    name: "up",
    settings: settingsOf({
      kind: "openai_compatible",
      base_url: `${url}/v1`,
      default_model: "m",
      max_retries: 0,
      stream_idle_secs: 1,
    }),
    ports: portsOf(ports),
  });

/** Never ends by itself: sends `piece` for as long as somebody reads. */
const endless = (contentType: string, piece: string) =>
  startRawServer(async (response) => {
    response.writeHead(200, { "content-type": contentType });
    let goOn = (): void => undefined;
    response.on("drain", () => goOn()).on("close", () => goOn());
    while (!response.destroyed) {
      const taken = response.write(piece);
      await new Promise<void>((resolve) => {
        goOn = resolve;
        if (taken) setImmediate(resolve);
      });
    }
  });

describe("size", () => {
  test.each([
    ["a plain answer", "application/json", " ".repeat(256 * 1024), false],
    ["a frame", "text/event-stream", `data: ${"x".repeat(256 * 1024)}`, true],
    [
      "the arguments of a call",
      "text/event-stream",
      sse(toolDelta(0, "a", { name: "f", arguments: "x".repeat(256 * 1024) })),
      true,
    ],
    [
      "calls that each say little",
      "text/event-stream",
      sse(
        ...Array.from({ length: 8 }, () => toolDelta(undefined, undefined, { name: "f", arguments: "1".repeat(9000) })),
      ),
      true,
    ],
    [
      "what stands beside a call",
      "text/event-stream",
      sse(
        ...Array.from({ length: 8 }, (_, index) =>
          chunk({ tool_calls: [{ index, function: { name: "f" }, extra_content: { x: "x".repeat(MIB) } }] }),
        ),
      ),
      true,
    ],
  ])("[SE59] %s that does not end is cut while it is read", async (...[_what, type, piece, stream]) => {
    const server = await endless(type, piece);
    expect(faultOf(await collect(providerAt(server.url), requestOf({ stream, tools })))).toEqual(tooLarge);
    await server.asked[0]?.closedEarly;
  });

  test("[SE59] a plain answer of exactly 4 MiB is read", async () => {
    const answer = (content: string) => JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }] });
    const content = "x".repeat(4 * MIB - answer("").length);
    const server = await startRawServer((response) => void response.end(answer(content)));
    expect(textOf(await collect(providerAt(server.url), requestOf({ stream: false })))).toBe(content);
  });

  test("[SE59] of 1,002 calls the first 1,000 are there, and none has what belongs to the others", async () => {
    const deltas = Array.from({ length: 1002 }, (_, n) => toolDelta(n, `c${n}`, { name: "f", arguments: `{"n":${n}` }));
    const ends = [toolDelta(undefined, undefined, { arguments: "}" }), toolDelta(999, undefined, { arguments: "}" })];
    const body = sse(...deltas, ...ends, chunk({}, "tool_calls"), "[DONE]");
    const server = await startRawServer((response) => sendChunks(response, [bytesOf(body)]));
    const calls = callsOf(await collect(providerAt(server.url), requestOf({ tools })));
    expect(calls).toHaveLength(1000);
    expect(calls.at(-1)).toEqual(["f", '{"n":999}']);
  });
});

describe("the end", () => {
  const lingering = (...later: readonly string[]) =>
    startRawServer(async (response) => {
      openStream(response);
      response.write(
        sse(chunk({ content: "Hi" }), toolDelta(0, "a", { name: "f", arguments: "{}" }), chunk({}, "stop")),
      );
      for (const piece of later) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.write(piece);
      }
    });

  test("[UP11] a connection that stays open behind the finish reason is left after 2 seconds", async () => {
    const server = await lingering(": still here\n\n");
    const timers = timersOf((ms) => ms === 2000, 100);
    const events = await collect(providerAt(server.url, { startTimer: timers.startTimer }), requestOf({ tools }));
    expect(events.map(({ type }) => type)).toEqual(["text", "call", "finish"]);
    expect(events.at(-1)).toMatchObject({ reason: "stop", usage: { exact: false } });
    expect(timers.asked.filter((ms) => ms === 2000)).toHaveLength(1);
    await server.asked[0]?.closedEarly;
  });

  test("[UP11] what comes in these 2 seconds still counts, and silence before it is no cut", async () => {
    const server = await lingering(sse({ choices: [], usage }, "[DONE]"));
    const timers = timersOf(() => false);
    const events = await collect(providerAt(server.url, { startTimer: timers.startTimer }), requestOf({ tools }));
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: { inputTokens: 11, outputTokens: 7, exact: true } });
    expect([timers.asked.includes(1000), timers.asked.at(-1)]).toEqual([true, 2000]);
  });

  test("[UP11] the end is not missed while nobody reads", async () => {
    let started: (goOff: () => void) => void = () => undefined;
    const grace = new Promise<() => void>((resolve) => (started = resolve));
    const startTimer: ProviderPorts["startTimer"] = (ms, act) => {
      if (ms === 2000) started(act);
      return () => undefined;
    };
    const line = openLine({ cancel: neverCancelled(), startTimer, idleMs: 5 });
    const frame = bytesOf(sse(chunk({ content: "Hi" }, "stop")));
    const upstream = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(frame) });
    const guarded = guardBody(upstream, line);
    const goOff = await grace;
    await new Promise((resolve) => setImmediate(resolve));
    goOff();
    expect(await new Response(guarded).text()).toContain("Hi");
    line.close();
  });

  test("[UP11] nobody waits where the end is told", async () => {
    const body = sse(chunk({ content: "Hi" }, "stop"), "[DONE]");
    const server = await startRawServer((response) => sendChunks(response, [bytesOf(body)]));
    const timers = timersOf(() => false);
    await collect(providerAt(server.url, { startTimer: timers.startTimer }), requestOf({}));
    expect(timers.asked).not.toContain(2000);
  });
});

describe("counts of tokens", () => {
  const good = { prompt_tokens: 11, completion_tokens: 7 };
  const read = { inputTokens: 11, outputTokens: 7, cachedTokens: 0, reasoningTokens: 0, exact: false };
  const details = (value: unknown) => ({ ...good, prompt_tokens_details: value, completion_tokens_details: value });
  const rows: [string, object, object][] = [
    ["negative", { ...good, prompt_tokens: -5 }, { ...read, inputTokens: 0 }],
    ["a fraction", { ...good, completion_tokens: 1.5 }, { ...read, outputTokens: 0 }],
    ["a text", { ...good, prompt_tokens: "11" }, { ...read, inputTokens: 0 }],
    ["beyond what is exact", { ...good, completion_tokens: 2 ** 53 }, { ...read, outputTokens: 0 }],
    ["a list", { ...good, completion_tokens: [7] }, { ...read, outputTokens: 0 }],
    ["bad in the details", details({ cached_tokens: -1, reasoning_tokens: {} }), read],
    ["details that are none", details("x"), read],
    ["none in the details", details({ cached_tokens: null }), { ...read, exact: true }],
    ["null throughout", { prompt_tokens: null, completion_tokens: null }, { ...read, inputTokens: 0, outputTokens: 0 }],
    ["bad where nobody looks", { ...good, total_tokens: "x", extra: { a: -1 } }, { ...read, exact: true }],
    ["claimed to be complete", { ...good, prompt_tokens: -1, complete: true }, { ...read, inputTokens: 0 }],
  ];

  test.each(rows)("[UP16] %s: left out, and the response stands", async (...[_what, said, expected]) => {
    const streamed = sse(chunk({ content: "Hi" }), chunk({}, "stop"), { choices: [], usage: said }, "[DONE]");
    const plain = JSON.stringify({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage: said });
    const server = await startRawServer((response, place) =>
      place === 0 ? sendChunks(response, [bytesOf(streamed)]) : void response.end(plain),
    );
    for (const stream of [true, false]) {
      const events = await collect(providerAt(server.url), requestOf({ stream }));
      expect(textOf(events)).toBe("Hi");
      expect(events.at(-1)).toMatchObject({ type: "finish", usage: expected });
    }
  });

  test("[UP16] a number beyond all is none", async () => {
    const raw = '{"choices":[],"usage":{"prompt_tokens":1e999,"completion_tokens":7}}';
    const body = sse(chunk({ content: "Hi" }, "stop"), raw, "[DONE]");
    const server = await startRawServer((response) => sendChunks(response, [bytesOf(body)]));
    const events = await collect(providerAt(server.url), requestOf({}));
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: { ...read, inputTokens: 0 } });
  });
});
