/** A whole conversation with an independent model server over HTTP; what it logged must be valid OpenAI Chat payloads. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { ModelMessage, ModelRequest } from "../../../src/contracts/model.ts";
import { createOpenAICompatibleProvider } from "../../../src/providers/openai-compatible/openai-compatible-provider.ts";
import {
  callsOf,
  collect,
  faultOf,
  portsOf,
  requestOf,
  settingsOf,
  textOf,
  toolOf,
  userSays,
} from "../support/provider-fixtures.ts";

const text = z.union([z.string(), z.array(z.strictObject({ type: z.literal("text"), text: z.string() }))]);
const image = z.strictObject({ type: z.literal("image_url"), image_url: z.strictObject({ url: z.string() }) });
const call = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), arguments: z.string() }),
  extra_content: z.object({}).loose().optional(),
});
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: text }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([text, z.array(z.union([z.strictObject({ type: z.literal("text"), text: z.string() }), image]))]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: text.nullable(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: text }),
]);
const payload = z.strictObject({
  model: z.string(),
  max_tokens: z.int(),
  temperature: z.number().optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({ name: z.string(), description: z.string(), parameters: z.object({}).loose() }),
      }),
    )
    .min(1)
    .optional(),
  stream: z.literal(true).optional(),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
});

const mock = new LLMock({ port: 0, chunkSize: 3 });
beforeAll(async () => {
  mock.onToolResult("call_w2", { content: "Málaga is sunny, Oslo is not." });
  mock.onMessage("weather", {
    toolCalls: [
      { id: "call_w1", name: "weather", arguments: '{"city":"Málaga","days":3}' },
      { id: "call_w2", name: "weather", arguments: '{"city":"Oslo","days":1}' },
    ],
  });
  mock.onMessage("hello", { content: "Hello to you as well, dear reader." });
  await mock.start();
});
afterAll(() => mock.stop());
beforeEach(() => mock.clearRequests());

const provider = (name = "up") =>
  createOpenAICompatibleProvider({
    name,
    settings: settingsOf({
      kind: "openai_compatible",
      base_url: `${mock.url}/v1`,
      default_model: "m",
      max_retries: 0,
      api_key: "KEY",
    }),
    ports: portsOf({ secrets: new Map([["KEY", "a-key"]]) }),
  });

/** Sends and gives back what the server logged. */
async function sent(request: Partial<ModelRequest>, name?: string) {
  await collect(provider(name), requestOf(request));
  return payload.parse(logged());
}

/** The body as it went over the wire, without what the server noted for itself. */
function logged(): JsonObject {
  const body = mock.getLastRequest()?.body;
  return Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(body)) as JsonObject).filter(([member]) => !member.startsWith("_")),
  );
}

const weather = toolOf("weather", { city: { type: "string" }, days: { type: "integer" } }, ["city"]);

describe("with tools", () => {
  test("[PA2] calls in chunks, results back, the answer", async () => {
    const question = userSays("what is the weather?");
    const first = await collect(provider(), requestOf({ messages: [question], tools: [weather] }));
    expect(callsOf(first)).toEqual([
      ["weather", '{"city":"Málaga","days":3}'],
      ["weather", '{"city":"Oslo","days":1}'],
    ]);
    expect(payload.parse(logged()).tools?.[0]?.function).toEqual({
      name: "weather",
      description: "weather",
      parameters: weather.parameters,
    });

    const calls = first.flatMap((event) => (event.type === "call" ? [event] : []));
    const round: ModelMessage[] = [
      {
        role: "assistant",
        text: "",
        calls: calls.map(({ id = "", name, argumentsText }) => ({ wireId: id, name, argumentsText })),
      },
      {
        role: "tool",
        results: calls.map(({ id = "", name }, place) => ({
          wireId: id,
          name,
          text: `result ${place}`,
          success: place === 0,
        })),
      },
    ];
    const second = await collect(provider(), requestOf({ messages: [question, ...round], tools: [weather] }));
    expect(textOf(second)).toBe("Málaga is sunny, Oslo is not.");
    expect(second.at(-1)).toMatchObject({ type: "finish", reason: "stop", usage: { exact: true } });
    expect(payload.parse(logged()).messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ id, name, argumentsText }) => ({
          id,
          type: "function",
          function: { name, arguments: argumentsText },
        })),
      },
      { role: "tool", tool_call_id: "call_w1", content: "result 0" },
      { role: "tool", tool_call_id: "call_w2", content: "result 1" },
    ]);
  });

  test("a plain call answers the same", async () => {
    const request = { messages: [userSays("what is the weather?")], tools: [weather] };
    const streamed = await collect(provider(), requestOf(request));
    const plain = await collect(provider(), requestOf({ ...request, stream: false }));
    expect(callsOf(plain)).toEqual(callsOf(streamed));
    expect(logged()).not.toHaveProperty("stream");
  });

  test("an error of the server is a fault", async () => {
    mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" });
    expect(faultOf(await collect(provider(), requestOf({})))).toEqual({
      kind: "refused",
      status: 429,
      message: "HTTP 429: slow down",
    });
  });
});

describe("history on the wire", () => {
  const assistant = (changes: Partial<Extract<ModelMessage, { role: "assistant" }>>): ModelMessage => ({
    role: "assistant",
    text: "",
    calls: [],
    ...changes,
  });
  const roundWith = (argumentsText: string, providerMetadata?: JsonObject): ModelMessage[] => [
    userSays("hello"),
    assistant({
      calls: [
        {
          wireId: "c1",
          name: "weather",
          argumentsText,
          ...(providerMetadata === undefined ? {} : { providerMetadata }),
        },
      ],
    }),
    { role: "tool", results: [{ wireId: "c1", name: "weather", text: "ok", success: true }] },
    userSays("hello again"),
  ];

  test.each([
    '{"a": 1.0,  "b":[ ]}',
    "{}",
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":1}}',
    '{"s":"\\u00e9"}',
  ])("[HI6] argument text goes back as it was written: %s", async (argumentsText) => {
    const { messages } = await sent({ messages: roundWith(argumentsText) });
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: argumentsText } }] });
  });

  test("[HI7] blank assistant messages and blank system texts are not sent, text is trimmed", async () => {
    const { messages } = await sent({
      system: " \n",
      messages: [userSays("hello"), assistant({ text: " \n" }), assistant({ text: " yes \n" }), userSays("hello")],
    });
    expect(messages).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "hello" },
    ]);
  });

  test("[HI8] the texts of a message become one, and so do answers in a row", async () => {
    const { messages } = await sent({
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        assistant({ text: "c" }),
        assistant({ text: "d" }),
        userSays("hello"),
      ],
    });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "a\n\nb"],
      ["assistant", "c\n\nd"],
      ["user", "hello"],
    ]);
  });

  test("images travel by URL or as data", async () => {
    const { messages } = await sent({
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "hello" },
            { type: "image", mediaType: "image/png", url: "https://a.example/b.png" },
            { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
      ],
    });
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "hello" },
      { type: "image_url", image_url: { url: "https://a.example/b.png" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ]);
  });

  test("[PV17] a thought signature goes back to the provider it came from, and to no other", async () => {
    const messages = roundWith("{}", { up: { thoughtSignature: "SIG" } });
    const signed = { tool_calls: [{ extra_content: { google: { thought_signature: "SIG" } } }] };
    expect((await sent({ messages })).messages[1]).toMatchObject(signed);
    expect((await sent({ messages }, "other")).messages[1]).not.toMatchObject(signed);
    // A name that means something to the package must not spill the metadata into the message itself.
    const named = roundWith("{}", { openaiCompatible: { thoughtSignature: "SIG" } });
    expect((await sent({ messages: named }, "openaiCompatible")).messages[1]).toMatchObject(signed);
  });

  test("[PV17] reasoning goes back to the provider it came from, and to no other", async () => {
    const messages = [
      userSays("a"),
      assistant({ text: "b", reasoning: "hmm", providerMetadata: { up: {} } }),
      userSays("hello"),
    ];
    expect((await sent({ messages })).messages[1]).toMatchObject({ content: "b", reasoning_content: "hmm" });
    expect((await sent({ messages }, "other")).messages[1]).not.toHaveProperty("reasoning_content");
  });
});
