/** Models without native tools, over HTTP: told of their tools in words, they call them in words, and no reader sees how. */
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { type ApiClient, createApiClient, freshConversation, onlyEvent, streamTurn } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { type EffectServer, startEffectServer } from "../support/effect-server.ts";
import { onlyApprovalOf, openConversation } from "../support/lifecycle-room.ts";
import { type ModelConfig, writeModelConfig } from "../support/model-config.ts";
import { type ChatRequest, type ModelServer, startModelServer } from "../support/model-server.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";

const block = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const sum = block("calculator", { expression: "12 * (3 + 4)" });
const time = block("current_time", { timezone: "UTC" });

const mock = new LLMock({ port: 0, chunkSize: 3 });
let model: ModelServer;
let outside: EffectServer;
let config: ModelConfig;
let server: RunningServer;
let client: ApiClient;

/** Two bytes at a time: every mark of the protocol arrives in pieces. */
const inPieces = (text: string): readonly string[] => text.match(/[^]{1,2}/g) ?? [];
const lastText = ({ messages }: ChatRequest): string => JSON.stringify(messages.at(-1)?.content ?? "");

/** One step at a time: the sum, then the time, then the words. */
function stepByStep(request: ChatRequest): string {
  const last = lastText(request);
  if (last.includes("write it down")) return block("record", { port: outside.port, note: "tea" });
  if (last.includes('name=\\"record\\"')) return "It is written down.";
  if (last.includes('name=\\"current_time\\"')) return "It is 84, and the time is known.";
  if (last.includes('name=\\"calculator\\"')) return `Now the time.\n${time}`;
  return `First the sum.\n${sum}`;
}

beforeAll(async () => {
  mock.onMessage("[Tool results]", { content: "The answer is eighty-four." });
  mock.onMessage("twelve", { content: `One moment.\n${sum}\n${time}` });
  await mock.start();
  outside = await startEffectServer();
  model = await startModelServer((request) => ({ kind: "text", tokens: inPieces(stepByStep(request)) }));
  config = writeModelConfig(
    { mock: Number(new URL(mock.url).port), model: model.port },
    {
      provider: { native_tools: false },
      reachable: [outside.port],
      risk_profiles: { default: { level: "supervised" } },
    },
  );
  server = await startServer({ configFile: config.file });
  client = createApiClient(server);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([mock.stop(), model.stop(), outside.stop()]);
  config.remove();
});

/** What was streamed of each message, in order. Of words in front of a call it may be a part: the rest came with the call. */
function shownIn(events: readonly WireTurnEvent[]): readonly string[] {
  const shown = new Map<string, string>();
  for (const event of events) {
    if (event.type === "text_delta") shown.set(event.message_id, (shown.get(event.message_id) ?? "") + event.text);
  }
  return [...shown.values()];
}

/** Whole words at the end, no more than the words before, and never any protocol. */
function expectShown(events: readonly WireTurnEvent[], before: readonly string[], last: string): void {
  const shown = shownIn(events);
  expect(shown.at(-1)).toBe(last);
  expect(shown.length).toBeLessThanOrEqual(before.length + 1);
  for (const text of shown.slice(0, -1)) {
    expect(before.some((words) => `${words}\n`.startsWith(text))).toBe(true);
  }
}

const callsIn = (events: readonly WireTurnEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === "tool_call" ? [[event.tool, event.origin]] : []));

describe("a turn with a model that knows only text", () => {
  test("[TP76][TP77][PA18] an independent model server: two blocks in one answer, both run, their results in one message", async () => {
    const { events } = await streamTurn(client, freshConversation("text-mock"), {
      agent: "mock",
      input: "twelve times",
    });
    expect(callsIn(events)).toEqual([
      ["calculator", "text"],
      ["current_time", "text"],
    ]);
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", iterations: 2 });
    expectShown(events, ["One moment."], "The answer is eighty-four.");
    const receipts = events.flatMap((event) => (event.type === "tool_result" ? [event.receipt ?? ""] : []));
    expect(receipts).toHaveLength(2);

    const [first, second] = mock.getRequests().map(({ body }) => body as ChatRequest);
    for (const body of [first, second]) {
      expect(findPayloadFaults(body)).toEqual([]);
      expect(body).not.toHaveProperty("tools");
    }
    expect(first?.messages[0]?.content).toMatch(/## Calling tools[^]*\n- calculator: [^\n]+\n {2}arguments: \{/);
    expect(second?.messages[0]).toEqual(first?.messages[0]);
    expect(second?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    const results = String(second?.messages.at(-1)?.content);
    expect(results).toMatch(/^\[Tool results\]\n<tool_result name="calculator" call="\S+" status="ok">\n84\n/);
    for (const receipt of receipts) expect(results).toContain(`[receipt: ${receipt}]\n</tool_result>`);
  });

  test("[PV5][PV8][LC2] step by step and byte by byte: two iterations with tools, and readers see the words alone", async () => {
    const { events } = await streamTurn(client, freshConversation("text-steps"), {
      agent: "model",
      input: "both, please",
    });
    expect(callsIn(events)).toEqual([
      ["calculator", "text"],
      ["current_time", "text"],
    ]);
    expectShown(events, ["First the sum.", "Now the time."], "It is 84, and the time is known.");
    expect(onlyEvent(events, "turn_finished")).toMatchObject({
      outcome: "completed",
      iterations: 3,
      text: "It is 84, and the time is known.",
    });
    for (const request of model.requests) expect(findPayloadFaults(request)).toEqual([]);
  });

  test("[AP3][CK10] a call in text that needs a person waits and goes on like any other", async () => {
    const conversation = openConversation(client, "text-approval");
    const suspended = await conversation.turn("please write it down", { agent: "model" });
    expect(outside.effects).toEqual([]);
    await conversation.decide(onlyApprovalOf(suspended), { decision: "approve" });
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "tool_result")).toMatchObject({ disposition: "succeeded", origin: "text" });
    expect(onlyEvent(events, "turn_finished").text).toBe("It is written down.");
    expect(outside.effects).toEqual(["tea"]);
    expect(findPayloadFaults(model.requests.at(-1))).toEqual([]);
  });
});
