/** What servers really send, as raw bytes over a socket: every row must come out the same however its bytes are cut. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import { createOpenAICompatibleProvider } from "../../../src/providers/openai-compatible/openai-compatible-provider.ts";
import { callsOf, collect, portsOf, requestOf, settingsOf, textOf, toolOf } from "../support/provider-fixtures.ts";
import { bytesOf, chunk, sendChunks, sse, startRawServer, toolDelta, usage } from "../support/raw-server.ts";

const tools = [toolOf("f", { x: { type: "integer" } }), toolOf("g", {})];

const providerAt = (url: string) =>
  createOpenAICompatibleProvider({
    name: "up",
    settings: settingsOf({ kind: "openai_compatible", base_url: `${url}/v1`, default_model: "m", max_retries: 0 }),
    ports: portsOf(),
  });

/** What each way of cutting the bytes gives, as one list of distinct outcomes. */
async function outcomesOf(body: string, cuts: readonly (readonly Uint8Array[])[]): Promise<ModelEvent[][]> {
  const server = await startRawServer((response, place) => sendChunks(response, cuts[place] ?? [bytesOf(body)]));
  const distinct = new Map<string, ModelEvent[]>();
  for (const _ of cuts) {
    const events = await collect(providerAt(server.url), requestOf({ tools }));
    const text = textOf(events);
    const joined = [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...events.filter(({ type }) => type !== "text"),
    ];
    distinct.set(JSON.stringify(joined), joined);
  }
  return [...distinct.values()];
}

const everySplit = (body: string): Uint8Array[][] => {
  const bytes = bytesOf(body);
  return Array.from(bytes, (_, at) => [bytes.slice(0, at), bytes.slice(at)]);
};

/** Whole, and one byte at a time: every boundary at once. */
async function eventsOf(body: string): Promise<ModelEvent[]> {
  const bytes = bytesOf(body);
  const outcomes = await outcomesOf(body, [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]);
  expect(outcomes).toHaveLength(1);
  return outcomes[0] ?? [];
}

const idsOf = (events: readonly ModelEvent[]) => events.flatMap((event) => (event.type === "call" ? [event.id] : []));
const done = (reason: string) => sse(chunk({}, reason), "[DONE]");

describe("cut at every byte", () => {
  test("[UP2] a call in pieces", async () => {
    const body =
      sse(toolDelta(0, "call_é", { name: "f", arguments: '{"x"' }), toolDelta(0, undefined, { arguments: ':"ñ😀"}' })) +
      done("tool_calls");
    const outcomes = await outcomesOf(body, everySplit(body));
    expect(outcomes).toHaveLength(1);
    expect(callsOf(outcomes[0] ?? [])).toEqual([["f", '{"x":"ñ😀"}']]);
  }, 30_000);

  test("[UP2] text in pieces", async () => {
    const body = `: hello\r\n\r\n${sse(chunk({ role: "assistant", content: "Grüße " }), chunk({ content: "an 😀" }, "stop"), "[DONE]")}`;
    const outcomes = await outcomesOf(body, everySplit(body));
    expect(outcomes).toHaveLength(1);
    expect(textOf(outcomes[0] ?? [])).toBe("Grüße an 😀");
  }, 30_000);
});

describe("tool calls", () => {
  const rows: [string, string, [string, string][], (string | undefined)[]][] = [
    [
      "[UP3] without index, whole each",
      sse(
        toolDelta(undefined, "a", { name: "f", arguments: "{}" }),
        toolDelta(undefined, "b", { name: "f", arguments: "{}" }),
      ),
      [
        ["f", "{}"],
        ["f", "{}"],
      ],
      ["a", "b"],
    ],
    [
      "[UP3] all at index 0, started empty",
      sse(
        toolDelta(0, "a", { name: "f", arguments: "" }),
        toolDelta(0, "b", { name: "f", arguments: "" }),
        toolDelta(0, "a", { arguments: '{"x":1}' }),
        toolDelta(0, "b", { arguments: '{"x":2}' }),
      ),
      [
        ["f", '{"x":1}'],
        ["f", '{"x":2}'],
      ],
      ["a", "b"],
    ],
    [
      "[UP3] interleaved by index",
      sse(
        toolDelta(1, "b", { name: "g", arguments: "{" }),
        toolDelta(0, "a", { name: "f", arguments: '{"x"' }),
        toolDelta(1, undefined, { arguments: "}" }),
        toolDelta(0, undefined, { arguments: ":1}" }),
      ),
      [
        ["g", "{}"],
        ["f", '{"x":1}'],
      ],
      ["b", "a"],
    ],
    [
      "[UP4] id and name on every delta",
      sse(
        toolDelta(0, "a", { name: "f", arguments: '{"x"' }),
        toolDelta(0, "a", { name: "f", arguments: ":1}" }),
        toolDelta(0, "a", { name: "f", arguments: "" }),
      ),
      [["f", '{"x":1}']],
      ["a"],
    ],
    [
      "[UP4] blank names on continuations",
      sse(toolDelta(0, "a", { name: "f", arguments: '{"x"' }), toolDelta(0, "", { name: "", arguments: ":1}" })),
      [["f", '{"x":1}']],
      ["a"],
    ],
    [
      "[UP4] the name only in a later delta",
      sse(
        toolDelta(0, "a", { name: "", arguments: '{"x"' }),
        toolDelta(0, undefined, { name: null, arguments: ":1" }),
        toolDelta(0, undefined, { name: "f", arguments: "}" }),
      ),
      [["f", '{"x":1}']],
      ["a"],
    ],
    [
      "[UP4] the id only in a later delta",
      sse(toolDelta(0, undefined, { name: "f", arguments: '{"x"' }), toolDelta(0, "a", { arguments: ":1}" })),
      [["f", '{"x":1}']],
      ["a"],
    ],
    [
      "[UP5] no ids",
      sse(
        toolDelta(0, undefined, { name: "f", arguments: '{"x":1}' }),
        toolDelta(1, undefined, { name: "f", arguments: '{"x":2}' }),
      ),
      [
        ["f", '{"x":1}'],
        ["f", '{"x":2}'],
      ],
      [undefined, undefined],
    ],
    [
      "[UP5] neither ids nor indices",
      sse(
        toolDelta(undefined, undefined, { name: "f", arguments: '{"x":1}' }),
        toolDelta(undefined, undefined, { name: "f", arguments: '{"x":1}' }),
      ),
      [
        ["f", '{"x":1}'],
        ["f", '{"x":1}'],
      ],
      [undefined, undefined],
    ],
    [
      "[UP5] no ids, one index, told apart by name",
      sse(toolDelta(0, undefined, { name: "f", arguments: "" }), toolDelta(0, undefined, { name: "g", arguments: "" })),
      [
        ["f", ""],
        ["g", ""],
      ],
      [undefined, undefined],
    ],
    [
      "[UP5] one id for two calls",
      sse(toolDelta(0, "a", { name: "f", arguments: "{}" }), toolDelta(1, "a", { name: "f", arguments: "{}" })),
      [
        ["f", "{}"],
        ["f", "{}"],
      ],
      ["a", "a"],
    ],
    [
      "[UP6] no argument text",
      sse(toolDelta(0, "a", { name: "f" }), toolDelta(1, "b", { name: "g", arguments: "" })),
      [
        ["f", ""],
        ["g", ""],
      ],
      ["a", "b"],
    ],
    [
      "[UP7] arguments as an object",
      sse(toolDelta(0, "a", { name: "f", arguments: { x: 1 } })),
      [["f", '{"x":1}']],
      ["a"],
    ],
    [
      "[UP8] arguments that are no JSON",
      sse(toolDelta(0, "a", { name: "f", arguments: '{"x": 1,}' })),
      [["f", '{"x": 1,}']],
      ["a"],
    ],
    [
      "[UP13] a blank delta that closes a call",
      sse(toolDelta(0, "a", { name: "f", arguments: "{}" }), toolDelta(1, "", { name: "", arguments: "" })),
      [["f", "{}"]],
      ["a"],
    ],
  ];
  test.each(rows)("%s", async (...row) => {
    const [, body, calls, ids] = row;
    const events = await eventsOf(body + done("tool_calls"));
    expect(callsOf(events)).toEqual(calls);
    expect(idsOf(events)).toEqual(ids);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool_calls" });
  });

  test("[UP9] calls are there whatever the reason says", async () => {
    const events = await eventsOf(sse(toolDelta(0, "a", { name: "f", arguments: "{}" })) + done("stop"));
    expect(callsOf(events)).toEqual([["f", "{}"]]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  test("a call that never gets a name is a cut response", async () => {
    const events = await eventsOf(sse(toolDelta(0, "a", { arguments: "{}" })) + done("tool_calls"));
    expect(callsOf(events)).toEqual([]);
    expect(events.at(-1)).toEqual({
      type: "fault",
      fault: { kind: "cut", message: "a tool call came without a name" },
    });
  });

  test("[UP17] a thought signature stays with its call, under our name", async () => {
    const signed = chunk({
      tool_calls: [
        {
          index: 0,
          id: "a",
          function: { name: "f", arguments: "{}" },
          extra_content: { google: { thought_signature: "SIG" } },
        },
      ],
    });
    const events = await eventsOf(sse(signed) + done("tool_calls"));
    expect(events[0]).toMatchObject({ type: "call", providerMetadata: { up: { thoughtSignature: "SIG" } } });
  });
});

describe("the end of a stream", () => {
  const begun = sse(chunk({ content: "Hel" }), toolDelta(0, "a", { name: "f", arguments: "{}" }));

  test.each([
    ["no finish reason", begun],
    ["only [DONE]", begun + sse("[DONE]")],
    ["a cut last frame", `${begun}data: {"choices":[{"delta":{},"finish_re`],
    ["nothing at all", ""],
  ])("[UP10] %s: cut off, no call of it exists", async (_, body) => {
    const events = await eventsOf(body);
    expect(callsOf(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "fault", fault: { kind: "cut" } });
  });

  test("[UP11] a finish reason without [DONE] is complete", async () => {
    const events = await eventsOf(sse(chunk({ content: "Hi" }), chunk({}, "length")));
    expect(textOf(events)).toBe("Hi");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "length" });
  });

  test.each([
    ["data: {error}", sse({ error: { message: "slow down", code: "rate_limit", type: "x" } }), "rate_limit: slow down"],
    ["event: error", 'event: error\ndata: {"type":"overloaded_error","message":"busy"}\n\n', "overloaded_error: busy"],
    [
      "event: error with a nested error",
      'event: error\ndata: {"error":{"code":529,"message":"busy"}}\n\n',
      "529: busy",
    ],
    ["an error that is a text", sse({ error: "broken" }), "broken"],
    ["text under event: error", "event: error\ndata: broken\n\n", "broken"],
  ])("[UP12] %s after 200", async (_, frame, message) => {
    const events = await eventsOf(sse(chunk({ content: "Hel" })) + frame + sse(chunk({ content: "never" }, "stop")));
    expect(textOf(events)).toBe("Hel");
    expect(events.at(-1)).toEqual({ type: "fault", fault: { kind: "cut", message } });
  });

  test("[UP12] a context overflow told in a frame is one", async () => {
    const events = await eventsOf(sse({ error: { message: "too much", code: "context_length_exceeded" } }));
    expect(events.at(-1)).toMatchObject({ fault: { kind: "context_overflow" } });
  });

  test("a frame that is no JSON is a cut response", async () => {
    const events = await eventsOf(sse(chunk({ content: "Hel" }), "{nonsense", chunk({}, "stop")));
    expect(events.at(-1)).toMatchObject({ type: "fault", fault: { kind: "cut" } });
  });
});

describe("around the text", () => {
  test("[UP13] comments, CRLF, a BOM, empty chunks, unknown fields and events are ignored", async () => {
    const frames = [
      "\uFEFF: connected",
      "",
      'data: {"id":"","object":"","created":0,"model":"","prompt_filter_results":[],"choices":[]}',
      "",
      "event: ping",
      'data: {"type":"ping"}',
      "",
      ": keep-alive",
      'data: {"choices":[{"index":0,"delta":{"role":"tool","content":"Hi","audio":{"x":1}},"logprobs":7}],"extra":[1]}',
      "",
      'data: {"id":"x","obfuscation":"abc"}',
      "",
      `data: ${JSON.stringify(chunk({ content: null, tool_calls: null }, "stop"))}`,
      "",
      "data: [DONE]",
      "",
      "",
    ];
    for (const end of ["\n", "\r\n"]) {
      const events = await eventsOf(frames.join(end));
      expect(textOf(events)).toBe("Hi");
      expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    }
  });

  test.each(["reasoning_content", "reasoning"])("[UP14] %s is reasoning, never text", async (field) => {
    const events = await eventsOf(sse(chunk({ [field]: "hmm" }), chunk({ content: "Hi" })) + done("stop"));
    expect(textOf(events)).toBe("Hi");
    expect(events.filter(({ type }) => type === "reasoning")).toEqual([{ type: "reasoning", text: "hmm" }]);
  });

  test("[UP15] a refusal is a content filter", async () => {
    const events = await eventsOf(sse(chunk({ content: null, refusal: "I will not." })) + done("stop"));
    expect(textOf(events)).toBe("I will not.");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "content_filter" });
  });

  test.each([
    [
      "in the last chunk",
      {
        choices: [],
        usage: {
          ...usage,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
      { inputTokens: 11, outputTokens: 7, cachedTokens: 3, reasoningTokens: 2, exact: true },
    ],
    [
      "without choices",
      { usage },
      { inputTokens: 11, outputTokens: 7, cachedTokens: 0, reasoningTokens: 0, exact: true },
    ],
    [
      "in part",
      { choices: [], usage: { prompt_tokens: 11 } },
      { inputTokens: 11, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, exact: false },
    ],
    [
      "in the other part",
      { choices: [], usage: { completion_tokens: 7 } },
      { inputTokens: 0, outputTokens: 7, cachedTokens: 0, reasoningTokens: 0, exact: false },
    ],
    [
      "nowhere",
      { choices: [] },
      { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, exact: false },
    ],
  ])("[UP16] usage %s", async (_, last, expected) => {
    const events = await eventsOf(sse(chunk({ content: "Hi" }), chunk({}, "stop"), last, "[DONE]"));
    expect(events.at(-1)).toMatchObject({ type: "finish", usage: expected });
  });
});
