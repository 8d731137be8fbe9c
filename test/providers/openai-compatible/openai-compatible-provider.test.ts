/** The provider as a whole against real servers: faults, retries, silence, cancelling, what leaves and what never does. */
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import { createOpenAICompatibleProvider } from "../../../src/providers/openai-compatible/openai-compatible-provider.ts";
import type { ProviderPorts } from "../../../src/providers/provider-ports.ts";
import {
  callsOf,
  collect,
  faultOf,
  portsOf,
  requestOf,
  settingsOf,
  textOf,
  timersOf,
  toolOf,
} from "../support/provider-fixtures.ts";
import { bytesOf, chunk, openStream, sendChunks, sse, startRawServer, usage } from "../support/raw-server.ts";

const key = "sk-live/é+0123456789";

function providerAt(url: string, changes: { settings?: JsonObject; ports?: Partial<ProviderPorts> } = {}) {
  return createOpenAICompatibleProvider({
    name: "up",
    settings: settingsOf({
      kind: "openai_compatible",
      base_url: `${url}/v1`,
      default_model: "m",
      max_retries: 0,
      ...changes.settings,
    }),
    ports: portsOf(changes.ports),
  });
}

const good = [bytesOf(sse(chunk({ content: "Hi" }, "stop"), "[DONE]"))];
const typesOf = (events: readonly ModelEvent[]) => events.map(({ type }) => type);

const answering = (status: number, body: string) =>
  startRawServer((response) => void response.writeHead(status, { "content-type": "application/json" }).end(body));

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("faults", () => {
  test.each([
    [500, "", { kind: "refused", status: 500 }],
    [500, "<html>oops</html>", { kind: "refused", status: 500, message: "HTTP 500: <html>oops</html>" }],
    [
      404,
      '{"error":{"message":"no such model"}}',
      { kind: "refused", status: 404, message: "HTTP 404: no such model" },
    ],
    [302, "", { kind: "refused", status: 302 }],
    [400, '{"error":{"message":"bad tool schema"}}', { kind: "refused", status: 400 }],
    [
      400,
      '{"error":{"message":"This model\'s maximum context length is 8192 tokens","code":"context_length_exceeded"}}',
      { kind: "context_overflow", status: 400 },
    ],
    [413, '{"error":"prompt is too long"}', { kind: "context_overflow", status: 413 }],
    [401, '{"error":{"message":"maximum context length"}}', { kind: "refused", status: 401 }],
  ])("status %i with %s", async (status, body, fault) => {
    const { url } = await answering(status, body);
    for (const stream of [true, false]) {
      expect(faultOf(await collect(providerAt(url), requestOf({ stream })))).toMatchObject(fault);
    }
  });

  test("a redirect is not followed", async () => {
    const target = await answering(200, "{}");
    const server = await startRawServer((response) => void response.writeHead(307, { location: target.url }).end());
    expect(faultOf(await collect(providerAt(server.url), requestOf({})))).toMatchObject({
      kind: "refused",
      status: 307,
    });
    expect(target.asked).toEqual([]);
  });

  test("[SE68] a key that comes back in an error is not told on, in no spelling", async () => {
    const spellings = [
      key,
      encodeURIComponent(key),
      Buffer.from(`Bearer ${key}!`).toString("base64"),
      JSON.stringify(key),
    ].join(" ");
    const { url } = await answering(401, JSON.stringify({ error: { message: `invalid key ${spellings}` } }));
    const provider = providerAt(url, { settings: { api_key: "KEY" }, ports: { secrets: new Map([["KEY", key]]) } });
    const { message } = faultOf(await collect(provider, requestOf({})));
    expect(message).toContain("[REDACTED:own]");
    expect(message).not.toContain("0123456789");
    expect(message).not.toContain(Buffer.from("0123456789").toString("base64").slice(2, 10));
  });

  test("[SE68] the cut to 500 characters comes after the cleaning and splits nothing", async () => {
    const { url } = await answering(
      401,
      JSON.stringify({ error: { message: `${"😀".repeat(480)}${key}${"😀".repeat(99)}` } }),
    );
    const provider = providerAt(url, { settings: { api_key: "KEY" }, ports: { secrets: new Map([["KEY", key]]) } });
    const { message } = faultOf(await collect(provider, requestOf({})));
    expect([...message]).toHaveLength(501);
    expect(message).toMatch(/😀\[REDACTED:…$/u);
  });

  test("[PV4] an answer asked for whole is read whole, whatever the request's schemas say of streams", async () => {
    const answer = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] };
    const { url } = await answering(200, JSON.stringify(answer));
    const tools = [toolOf("watch", { mode: { type: "object", default: { stream: true } } })];
    expect(textOf(await collect(providerAt(url), requestOf({ stream: false, tools })))).toBe("Hi");
  });

  test("closed before any header, or no server at all: unreachable", async () => {
    const server = await startRawServer((response) => void response.socket?.destroy());
    for (const url of [server.url, `http://127.0.0.1:${await closedPort()}`]) {
      for (const stream of [true, false]) {
        expect(faultOf(await collect(providerAt(url), requestOf({ stream }))).kind).toBe("unreachable");
      }
    }
  });

  test("closed in mid-stream: cut, with what was shown before it", async () => {
    const server = await startRawServer((response) => {
      openStream(response);
      response.write(sse(chunk({ content: "Hel" })), () => setTimeout(() => response.socket?.destroy(), 20));
    });
    const events = await collect(providerAt(server.url, { settings: { max_retries: 5 } }), requestOf({}));
    expect(textOf(events)).toBe("Hel");
    expect(faultOf(events).kind).toBe("cut");
    expect(server.asked).toHaveLength(1);
  });

  const nameless = JSON.stringify({
    choices: [{ message: { tool_calls: [{ id: "a", function: { arguments: "{}" } }] } }],
  });
  test.each(["nonsense", "{}", nameless, '{"choices":[]}', '{"error":{"message":"busy","code":"overloaded"}}'])(
    "a plain answer that is %s: cut",
    async (body) => {
      const { url } = await answering(200, body);
      expect(faultOf(await collect(providerAt(url), requestOf({ stream: false }))).kind).toBe("cut");
    },
  );

  test("[UP12] an error in a plain answer of 200 keeps its code", async () => {
    const { url } = await answering(200, '{"error":{"message":"busy","code":"overloaded"}}');
    const fault = faultOf(await collect(providerAt(url), requestOf({ stream: false })));
    expect(fault).toEqual({ kind: "cut", message: "overloaded: busy" });
  });

  test("[SE33] a base URL that the egress guard refuses is never called", async () => {
    const server = await answering(200, "{}");
    const judged: string[] = [];
    const judge: ProviderPorts["judge"] = (url) => {
      judged.push(url);
      return { ok: false, failure: { class: "ip_literal" } };
    };
    const events = await collect(providerAt(server.url, { ports: { judge } }), requestOf({}));
    expect(events).toEqual([{ type: "fault", fault: { kind: "egress", message: "egress blocked: ip_literal" } }]);
    expect(judged).toEqual([`${server.url}/v1/chat/completions`]);
    expect(server.asked).toEqual([]);
  });

  test("[CF5] a secret that is not bound fails the call that needs it", async () => {
    const server = await answering(200, "{}");
    for (const settings of [{ api_key: "KEY" }, { headers: { "x-key": "v ${secret:KEY}" } }]) {
      const fault = faultOf(await collect(providerAt(server.url, { settings }), requestOf({})));
      expect(fault).toEqual({ kind: "not_configured", message: "the secret KEY is not bound" });
    }
    expect(server.asked).toEqual([]);
  });
});

describe("retries", () => {
  test.each([
    ["429", 429, 2],
    ["503", 503, 2],
    ["400", 400, 0],
    ["401", 401, 0],
  ])("[PV16] a %s is tried again as often as it may be, and announced", async (_, status, retries) => {
    const server = await startRawServer((response) => void response.writeHead(status).end());
    const timers = timersOf((ms) => ms < 5000);
    const idle = 120_000;
    const provider = providerAt(server.url, { settings: { max_retries: 2 }, ports: { startTimer: timers.startTimer } });
    const events = await collect(provider, requestOf({ stream: false }));
    expect(server.asked).toHaveLength(retries + 1);
    expect(events.filter(({ type }) => type === "retry")).toEqual(
      Array.from({ length: retries }, (__, place) => ({ type: "retry", attempt: place + 1, reason: `HTTP ${status}` })),
    );
    expect(timers.asked.filter((ms) => ms !== idle)).toEqual([250, 1000].slice(0, retries));
    expect(faultOf(events).status).toBe(status);
  });

  test("[PV16] the second try may succeed", async () => {
    const server = await startRawServer((response, place) => {
      if (place === 0) response.socket?.destroy();
      else return sendChunks(response, good);
      return undefined;
    });
    const provider = providerAt(server.url, {
      settings: { max_retries: 1 },
      ports: { startTimer: timersOf((ms) => ms < 5000).startTimer },
    });
    const events = await collect(provider, requestOf({}));
    expect(typesOf(events)).toEqual(["retry", "text", "finish"]);
    expect(events[0]).toMatchObject({ reason: "unreachable" });
  });

  test("[PV14] no further try after a cancel, at once or during the pause", async () => {
    for (const cancelBy of [(act: () => void) => act(), (act: () => void) => void setTimeout(act, 5)]) {
      const server = await startRawServer((response) => void response.writeHead(503).end());
      const cancel = new AbortController();
      const provider = providerAt(server.url, {
        settings: { max_retries: 5 },
        ports: { startTimer: timersOf(() => false).startTimer },
      });
      const seen: ModelEvent[] = [];
      for await (const event of provider.stream(requestOf({}), cancel.signal)) {
        seen.push(event);
        cancelBy(() => cancel.abort());
      }
      expect(typesOf(seen)).toEqual(["retry"]);
      expect(server.asked).toHaveLength(1);
    }
  });
});

describe("silence and cancelling", () => {
  const openAnswer = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
  };
  test.each([
    ["a stream, before its first byte", true, () => undefined],
    ["a stream, after its headers", true, openStream],
    ["a plain answer, before its first byte", false, () => undefined],
    ["a plain answer, within its body", false, openAnswer],
  ])("[PV13] silence cuts %s", async (...[_what, stream, begin]) => {
    const server = await startRawServer(begin);
    const timers = timersOf((ms) => ms === 7000, 60);
    const provider = providerAt(server.url, {
      settings: { stream_idle_secs: 7, max_retries: 2 },
      ports: { startTimer: timers.startTimer },
    });
    const fault = faultOf(await collect(provider, requestOf({ stream })));
    expect(fault).toEqual({ kind: "cut", message: "the provider sent nothing for 7 seconds" });
    await server.asked[0]?.closedEarly;
    expect(server.asked).toHaveLength(1);
  });

  test("[PV14] a cancel closes the upstream connection and ends without a last event", async () => {
    const server = await startRawServer((response) => {
      openStream(response);
      response.write(sse(chunk({ content: "Hel" })));
    });
    const cancel = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const event of providerAt(server.url).stream(requestOf({}), cancel.signal)) {
      seen.push(event);
      cancel.abort();
    }
    expect(typesOf(seen)).toEqual(["text"]);
    await server.asked[0]?.closedEarly;
  });

  test("[PV14] a cancel before the headers, or before the call", async () => {
    const late = new AbortController();
    const server = await startRawServer(() => late.abort());
    expect(await collect(providerAt(server.url), requestOf({ stream: false }), late.signal)).toEqual([]);
    await server.asked[0]?.closedEarly;
    expect(await collect(providerAt(server.url), requestOf({}), AbortSignal.abort())).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  test("a reader that stops reading closes the connection too", async () => {
    const server = await startRawServer((response) => {
      openStream(response);
      response.write(sse(chunk({ content: "a" }), chunk({ content: "b" })));
    });
    for await (const event of providerAt(server.url).stream(requestOf({}), new AbortController().signal)) {
      expect(event.type).toBe("text");
      break;
    }
    await server.asked[0]?.closedEarly;
  });

  test("a connection left open after [DONE] does not hold the answer back", async () => {
    const server = await startRawServer((response) => {
      openStream(response);
      response.write(sse(chunk({ content: "Hi" }, "stop"), "[DONE]"));
    });
    expect(typesOf(await collect(providerAt(server.url), requestOf({})))).toEqual(["text", "finish"]);
    await server.asked[0]?.closedEarly;
  });
});

describe("what goes out", () => {
  test("key, headers with secrets, model and limits; nothing that was not asked for", async () => {
    const server = await startRawServer((response) => sendChunks(response, good));
    const provider = providerAt(server.url, {
      settings: { api_key: "KEY", headers: { "x-team": "t-${secret:TEAM}" }, base_url: `${server.url}/v1/` },
      ports: {
        secrets: new Map([
          ["KEY", "k-1"],
          ["TEAM", "blue"],
        ]),
      },
    });
    await collect(provider, requestOf({ model: "large", system: "Be brief.", temperature: 0.5, maxOutputTokens: 99 }));
    const [asked] = server.asked;
    expect(asked).toMatchObject({
      method: "POST",
      url: "/v1/chat/completions",
      headers: { authorization: "Bearer k-1", "x-team": "t-blue" },
    });
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      model: "large",
      max_tokens: 99,
      temperature: 0.5,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hello" },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("no key, no header", async () => {
    const server = await startRawServer((response) => sendChunks(response, good));
    await collect(providerAt(server.url), requestOf({}));
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });

  test("a plain answer gives the same events as a stream", async () => {
    const toolCalls = [
      { id: "same", type: "function", function: { name: "f", arguments: { x: 1 } } },
      { id: "same", type: "function", function: { name: "g" } },
    ];
    const { url, asked } = await answering(
      200,
      JSON.stringify({
        choices: [
          {
            message: { role: "assistant", content: "Hi", reasoning: "hmm", tool_calls: toolCalls },
            finish_reason: "tool_calls",
          },
        ],
        usage,
      }),
    );
    const events = await collect(providerAt(url), requestOf({ stream: false, tools: [toolOf("f", {})] }));
    expect(typesOf(events)).toEqual(["reasoning", "text", "call", "call", "finish"]);
    expect(callsOf(events)).toEqual([
      ["f", '{"x":1}'],
      ["g", ""],
    ]);
    expect(events[2]).toMatchObject({ id: "same" });
    expect(events[3]).toMatchObject({ id: "same" });
    expect(events.at(-1)).toMatchObject({
      reason: "tool_calls",
      usage: { inputTokens: 11, outputTokens: 7, exact: true },
    });
    expect(JSON.parse(asked[0]?.body ?? "")).not.toHaveProperty("stream");
  });
});

test("[TS20] abilities: the model's own, else the provider's, else all", () => {
  const provider = providerAt("http://x.example", {
    settings: {
      native_tools: false,
      models: { big: { native_tools: true, streaming_tools: false, max_output_tokens: 9 } },
    },
  });
  expect(provider.capabilities("m")).toEqual({ nativeTools: false, streaming: true, streamingTools: true });
  expect(provider.capabilities("big")).toEqual({ nativeTools: true, streaming: true, streamingTools: false });
  expect([provider.maxOutputTokens("big"), provider.maxOutputTokens("m"), provider.defaultModel]).toEqual([
    9,
    4096,
    "m",
  ]);
});
