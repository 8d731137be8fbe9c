/** Turns against real model servers over HTTP: requests that any provider takes, results of megabytes, faults of the provider. */
import { createHash } from "node:crypto";
import { LLMock } from "@copilotkit/aimock";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../scripts/lib/free-port.ts";
import {
  type ApiClient,
  createApiClient,
  freshConversation,
  onlyEvent,
  streamTurn,
  typesOf,
} from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { type ModelConfig, writeModelConfig } from "../support/model-config.ts";
import { type ChatRequest, type ModelServer, startModelServer } from "../support/model-server.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";
import { bigText } from "./configs/test-tools.ts";

const mock = new LLMock({ port: 0, chunkSize: 3 });
let model: ModelServer;
let config: ModelConfig;
let server: RunningServer;
let client: ApiClient;

const lastUserText = ({ messages }: ChatRequest): string =>
  JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");

beforeAll(async () => {
  mock.onToolResult("call_w1", { content: "The answer is eighty-four." });
  mock.onMessage("twelve", {
    toolCalls: [{ id: "call_w1", name: "calculator", arguments: '{"expression":"12 * (3 + 4)"}' }],
  });
  await mock.start();
  model = await startModelServer((request) => {
    const asked = lastUserText(request);
    const answered = request.messages.at(-1)?.role === "tool";
    if (asked.includes("a huge text") && !answered)
      return { kind: "call", id: "call_big", name: "big_text", args: { chars: 5_000_000 } };
    if (asked.includes("count up") && !answered) return { kind: "call", id: "call_count", name: "count_up", args: {} };
    if (asked.endsWith('break down"')) return { kind: "status", status: 500 };
    if (asked.includes("hang up")) return { kind: "text", tokens: ["I was about ", "to say"], tokenMs: 20, cut: true };
    return { kind: "text", tokens: ["All ", "is ", "well."] };
  });
  const mockPort = Number(new URL(mock.url).port);
  config = writeModelConfig({ mock: mockPort, model: model.port, nobody: await findFreePort() });
  server = await startServer({ configFile: config.file });
  client = createApiClient(server);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([mock.stop(), model.stop()]);
  config.remove();
});

describe("a turn with an independent model server", () => {
  test("[HI1][HI7][RE5] two iterations, one tool, each request valid, the result with its receipt", async () => {
    const { events } = await streamTurn(client, freshConversation("mock-turn"), {
      agent: "mock",
      input: "twelve times",
    });
    const call = onlyEvent(events, "tool_call");
    expect(call).toMatchObject({ tool: "calculator", arguments: { expression: "12 * (3 + 4)" } });
    expect(call.provider_call_id).toBe("call_w1");
    const { receipt } = onlyEvent(events, "tool_result");
    expect(onlyEvent(events, "turn_finished")).toMatchObject({
      outcome: "completed",
      iterations: 2,
      text: "The answer is eighty-four.",
    });
    expect(typesOf(events).filter((type) => type === "usage")).toHaveLength(2);

    const bodies = mock.getRequests().map(({ body }) => body as ChatRequest);
    expect(bodies.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["system", "user"],
      ["system", "user", "assistant", "tool"],
    ]);
    for (const body of bodies) expect(findPayloadFaults(body)).toEqual([]);
    expect(bodies[1]?.messages[2]?.tool_calls).toEqual([
      { id: "call_w1", type: "function", function: { name: "calculator", arguments: '{"expression":"12 * (3 + 4)"}' } },
    ]);
    expect(bodies[1]?.messages[3]).toMatchObject({ tool_call_id: "call_w1" });
    expect(bodies[1]?.messages[3]?.content).toBe(`84\n\n[receipt: ${receipt}]`);
  });
});

describe("a tool that tells how far it is", () => {
  test("[TC12][G3] is heard between its call and its result, without an id, and not in the log", async () => {
    const conversation = freshConversation("count-up");
    const { frames, events } = await streamTurn(client, conversation, { agent: "model", input: "count up" });
    const heard = frames.filter((frame) => frame.includes("event: tool_progress"));
    expect(heard.map((frame) => JSON.parse(frame.split("data: ")[1] ?? "") as object)).toMatchObject([
      { type: "tool_progress", call_id: "call_trn_1_1", data: { step: 1, of: 2 } },
      { type: "tool_progress", call_id: "call_trn_1_1", data: { step: 2, of: 2 } },
    ]);
    expect(heard.some((frame) => frame.includes("id: ") || frame.includes('"seq"'))).toBe(false);
    const types: readonly string[] = typesOf(events);
    const [called, first, last, ended] = [
      types.indexOf("tool_call"),
      types.indexOf("tool_progress"),
      types.lastIndexOf("tool_progress"),
      types.indexOf("tool_result"),
    ];
    expect([called, first, last, ended]).toEqual([called, called + 1, called + 2, called + 3]);
    const log = await (await client.get(`/v1/conversations/${conversation}/events`)).text();
    expect(log).toContain("count_up");
    expect(log).not.toContain("tool_progress");
  });
});

describe("a result of five megabytes", () => {
  const conversation = freshConversation("big-result");
  const whole = Buffer.from(bigText(5_000_000));
  let result: Extract<WireTurnEvent, { type: "tool_result" }>;
  let receipt: string;
  let shown: string;
  let path: string;
  beforeAll(async () => {
    const { events } = await streamTurn(client, conversation, { agent: "model", input: "a huge text" });
    result = onlyEvent(events, "tool_result");
    ({ output: shown, receipt = "" } = result);
    path = `/v1/conversations/${conversation}/calls/${result.call_id}/result`;
  });

  test("[BD1][BD10] what the model is shown is bounded, and ends with the receipt", () => {
    expect(result).toMatchObject({ disposition: "succeeded", truncated: true, chars: [...bigText(5_000_000)].length });
    expect([...shown].length).toBeLessThanOrEqual(50_000);
    expect(shown).toMatch(/\n\[… \d+ characters removed …\]\n/);
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(`${shown}\n\n[receipt: ${receipt}]`);
  });

  test("[BD8] all of it is kept and read back, whole and in ranges", async () => {
    const response = await client.get(path);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = createHash("sha256").update(whole).digest("hex");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest);
    expect(response.headers.get("x-countersign-complete")).toBe("true");
    expect(response.headers.get("etag")).toBe(`"sha256-${digest}"`);
    for (const [range, start, end] of [
      ["bytes=262140-262150", 262_140, 262_151],
      ["bytes=0-0", 0, 1],
      ["bytes=-7", whole.length - 7, whole.length],
      [`bytes=${whole.length - 3}-`, whole.length - 3, whole.length],
    ] as const) {
      const part = await client.get(path, { range });
      expect([part.status, part.headers.get("content-range")]).toEqual([
        206,
        `bytes ${start}-${end - 1}/${whole.length}`,
      ]);
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(start, end))).toBe(true);
    }
    expect((await client.get(path, { range: `bytes=${whole.length}-` })).status).toBe(416);
  });

  test("[RE7] its receipt verifies; one character more, elsewhere or missing and it does not", async () => {
    const verify = async (changes: object): Promise<unknown> => {
      const claim = { receipt, conversation, tool: "big_text", arguments: { chars: 5_000_000 }, ...changes };
      return await (await client.post("/v1/receipts/verify", claim)).json();
    };
    expect(await verify({})).toMatchObject({
      verdict: "valid",
      body: { result_chars: [...bigText(5_000_000)].length },
    });
    const mismatch = (field: string) => ({ verdict: "mismatch", fields: [field] });
    expect(await verify({ arguments: { chars: 5_000_001 } })).toMatchObject(mismatch("arguments"));
    expect(await verify({ tool: "big_texts" })).toMatchObject(mismatch("tool"));
    expect(await verify({ result: shown })).toMatchObject(mismatch("result"));
  });
});

describe("a provider that fails", () => {
  test.each([
    ["answers 500", "model", "please break down"],
    ["cannot be reached", "nobody", "is anybody there?"],
  ])("[PV10] one that %s ends the turn, and the conversation goes on", async (_what, agent, input) => {
    const conversation = freshConversation("provider-fault");
    const { events } = await streamTurn(client, conversation, { agent, input });
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "failed", reason: "provider_error", text: "" });
    expect(JSON.stringify(events)).not.toContain("as the test wants it");
    const next = await streamTurn(client, conversation, { agent: "model", input: "and now?" });
    expect(onlyEvent(next.events, "turn_finished").text).toBe("All is well.");
    expect(findPayloadFaults(model.requests.at(-1))).toEqual([]);
    expect(lastUserText(model.requests.at(-1) ?? { messages: [] })).toContain(input);
  });

  test("[PV10][HI10] what was shown of a cut stream is kept, and the request is not repeated", async () => {
    const conversation = freshConversation("cut-stream");
    const before = model.requests.length;
    const { events } = await streamTurn(client, conversation, { agent: "model", input: "then hang up" });
    expect(model.requests.length - before).toBe(1);
    expect(onlyEvent(events, "turn_finished")).toMatchObject({
      outcome: "failed",
      reason: "provider_error",
      text: "I was about to say",
    });
    await streamTurn(client, conversation, { agent: "model", input: "go on" });
    const sent = model.requests.at(-1)?.messages ?? [];
    expect(findPayloadFaults(model.requests.at(-1))).toEqual([]);
    expect(sent.find(({ role }) => role === "assistant")?.content).toBe("I was about to say");
    expect(lastUserText(model.requests.at(-1) ?? { messages: [] })).toMatch(/cut off.*go on/);
  });
});
