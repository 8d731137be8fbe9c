/** History in a turn: what is swept and trimmed before a request, after a round and after the answer, and what is said of it. */
import { describe, expect, test } from "vitest";
import type { AssistantEntry, HistoryEntry, ToolEntry } from "../../../src/contracts/message.ts";
import type { ModelEvent, ModelRequest } from "../../../src/contracts/model.ts";
import type { ObserverRecord } from "../../../src/contracts/observer.ts";
import { rootKey } from "../../../src/storage/step-store.ts";
import { appendMessages } from "../../../src/storage/message-store.ts";
import { type CoreConversation, type CoreSetup, eventsOf, openConversation } from "../../support/core-fixture.ts";
import { callOf, fault, says, text } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

/** As `says` and `calls`, with what the provider counted of the request. */
const counted = (inputTokens: number, ...events: readonly ModelEvent[]): readonly ModelEvent[] => [
  ...events,
  {
    type: "finish",
    reason: events[0]?.type === "call" ? "tool_calls" : "stop",
    usage: { inputTokens, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0, exact: true },
  },
];

/** A conversation that has had `turns` turns of about `chars` characters each. */
async function talk(turns: number, setup: CoreSetup = {}, chars = 0): Promise<CoreConversation> {
  const conversation = openConversation({ risk: { level: "full" }, ...setup });
  for (let n = 1; n <= turns; n += 1) {
    await conversation.run([says(`answer ${n}`)], { input: `question ${n} ${"x".repeat(chars)}` });
  }
  return conversation;
}

const said = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).flatMap((message) =>
    message.role === "user" ? message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
const questionsOf = (request: ModelRequest | undefined): readonly string[] =>
  said(request).flatMap((words) => /^question \d+|^now$/.exec(words) ?? []);
const crumbsOf = (request: ModelRequest | undefined): number =>
  said(request).filter((words) => words.startsWith("[Earlier")).length;

test("[TP80][LC22][LC23] in text mode a message of results begins no turn: it goes with the one that it belongs to", async () => {
  const call = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "6*7"}}\n</tool_call>';
  const conversation = await talk(0, {
    capabilities: { nativeTools: false },
    risk: { level: "full" },
    runtime: { max_history_messages: 4 },
  });
  await conversation.run([says(call), says("42")], { input: "question 1" });
  expect(said(conversation.provider.requests[1]).at(-1)).toMatch(/^\[Tool results\]/);
  const turn = await conversation.run([says("ok")], { input: "now" });
  expect(eventsOf(turn, "history_trimmed")).toMatchObject([{ dropped_messages: 4, kept_turns: 1 }]);
  const last = said(conversation.provider.requests.at(-1)).join();
  expect([last.includes("[Tool results]"), last.endsWith("now")]).toEqual([false, true]);
});

describe("the orphan sweep", () => {
  const turn = "trn_1";
  const call = (id: string) => ({ callId: id, wireId: id, tool: "it", argumentsText: "{}" });
  const asks = (...ids: readonly string[]): AssistantEntry => ({
    kind: "assistant",
    turn,
    text: "",
    calls: ids.map(call),
  });
  const answers = (id: string): ToolEntry => ({
    kind: "tool",
    turn,
    callId: id,
    wireId: id,
    tool: "it",
    text: "r",
    success: true,
  });
  const damaged: readonly (readonly [string, readonly HistoryEntry[], string])[] = [
    ["a result whose call is nowhere", [answers("lost")], "result_without_call"],
    [
      "a result that is only quoted",
      [{ kind: "assistant", turn, text: "call lost", calls: [] }, answers("lost")],
      "result_without_call",
    ],
    [
      "calls behind unresolved calls",
      [asks("p"), asks("q"), answers("q"), answers("p")],
      "calls_after_unresolved_calls",
    ],
    ["a call without a result", [asks("p")], "call_without_result"],
  ];

  test.each(damaged)(
    "[LC21] %s goes before the request, which every provider takes, and is logged",
    async (...[, entries, reason]) => {
      const conversation = await talk(1);
      appendMessages(conversation.sql, rootKey(1), entries);
      await conversation.run([says("ok")], { input: "now" });
      const request = conversation.provider.requests.at(-1);
      expect(questionsOf(request)).toEqual(["question 1", "now"]);
      expect(JSON.stringify(request)).not.toContain('"lost"');
      const removed = conversation.log.filter(({ code }) => code === "history_orphan_removed");
      expect(removed.map(({ fields }) => fields)).toContainEqual(expect.objectContaining({ reason, turn: "trn_2" }));
    },
  );

  test("[LC21] whole rounds pass in silence", async () => {
    const conversation = openConversation({ risk: { level: "full" }, tools: [createTool("it")] });
    await conversation.run([counted(1, callOf({ name: "it" })), says("ok")]);
    await conversation.run([says("ok")]);
    expect(conversation.log).toEqual([]);
  });
});

describe("before the first request", () => {
  const budget = (tokens: number) => ({ runtime: { max_context_tokens: tokens } });

  test("[LC22][LC23][LC24] by estimate: whole oldest turns go, one note says so, one event counts them", async () => {
    const conversation = await talk(6, budget(1000), 1200);
    const turn = await conversation.run([says("ok")], { input: "now" });
    const request = conversation.provider.requests.at(-1);
    // About 310 tokens a turn, 80 of system text: two of six stay.
    expect(questionsOf(request)).toEqual(["question 5", "question 6", "now"]);
    expect([crumbsOf(request), said(request)[0]?.startsWith("[Earlier")]).toEqual([1, true]);
    expect(eventsOf(turn, "history_trimmed")).toMatchObject([
      { dropped_messages: 8, kept_turns: 3, reason: "context_budget", iteration: 1 },
    ]);
    // What is left out of a request is in history still.
    expect(turn.history.filter(({ kind }) => kind === "user")).toHaveLength(7);
  });

  test("[LC23] below the newest turn only that is kept, whole; a budget of 0 drops nothing", async () => {
    const small = await talk(3, budget(1), 50);
    await small.run([says("ok")], { input: "now" });
    expect(questionsOf(small.provider.requests.at(-1))).toEqual(["now"]);
    const off = await talk(3, { runtime: { max_context_tokens: 0, max_history_messages: 0 } }, 5000);
    await off.run([says("ok")], { input: "now" });
    expect(questionsOf(off.provider.requests.at(-1))).toEqual(["question 1", "question 2", "question 3", "now"]);
  });

  test("[LC24] by number of messages: its reason is the message limit", async () => {
    const conversation = await talk(6, { runtime: { max_history_messages: 7 } });
    const turn = await conversation.run([says("ok")], { input: "now" });
    expect(questionsOf(conversation.provider.requests.at(-1))).toEqual([
      "question 4",
      "question 5",
      "question 6",
      "now",
    ]);
    expect(eventsOf(turn, "history_trimmed")).toMatchObject([
      { dropped_messages: 6, kept_turns: 4, reason: "message_limit" },
    ]);
  });
});

describe("after the provider has counted", () => {
  const tools = [createTool("it")];
  const setup: CoreSetup = { tools, runtime: { max_context_tokens: 1000 } };
  const round = callOf({ name: "it" });

  test("[LC24] after a round: twice the budget reported, half of it counts from the next request on", async () => {
    const conversation = await talk(4, setup, 700);
    const turn = await conversation.run([counted(2000, round), says("ok")], { input: "now" });
    const [before, after] = conversation.provider.requests.slice(-2);
    expect(questionsOf(before)).toEqual(["question 1", "question 2", "question 3", "question 4", "now"]);
    // Before, about 900 by estimate, so 450 may stay: 80 of system text, one turn of 190, and the newest.
    expect(questionsOf(after)).toEqual(["question 4", "now"]);
    expect([crumbsOf(before), crumbsOf(after)]).toEqual([0, 1]);
    expect(eventsOf(turn, "history_trimmed")).toMatchObject([
      { dropped_messages: 6, kept_turns: 2, reason: "context_budget" },
    ]);
    expect(after?.messages.at(-1)?.role).toBe("tool");
  });

  test("[LC24] after the final text too, once for each, and before the end", async () => {
    const conversation = await talk(4, setup, 700);
    const turn = await conversation.run([counted(2000, text("fine"))], { input: "now" });
    expect(eventsOf(turn, "history_trimmed")).toMatchObject([{ kept_turns: 2, reason: "context_budget" }]);
    expect(turn.events.at(-1)?.type).toBe("turn_finished");
  });

  test("[LC24] a report within the budget, and no budget, change nothing", async () => {
    for (const runtime of [{ max_context_tokens: 1000 }, { max_context_tokens: 0 }]) {
      const conversation = await talk(3, { tools, runtime }, 700);
      const turn = await conversation.run([counted(1000, round), says("ok")], { input: "now" });
      expect(eventsOf(turn, "history_trimmed")).toEqual([]);
    }
  });

  test("[LC24] a cancelled round is not trimmed behind", async () => {
    const cancel = new AbortController();
    const cancelling = createTool("it", () => (cancel.abort(), "ok"));
    const conversation = await talk(4, { ...setup, tools: [cancelling] }, 700);
    const turn = await conversation.run([counted(2000, round)], { input: "now", cancel: cancel.signal });
    expect([turn.summary.outcome, eventsOf(turn, "history_trimmed")]).toEqual(["cancelled", []]);
  });

  test("[EV11] the observer is told of each trimming", async () => {
    const records: ObserverRecord[] = [];
    const conversation = await talk(
      4,
      { ...setup, execution: { observe: (record) => void records.push(record) } },
      700,
    );
    await conversation.run([counted(2000, round), says("ok")], { input: "now" });
    expect(records.filter(({ type }) => type === "history_trimmed")).toMatchObject([
      { droppedMessages: 6, keptTurns: 2 },
    ]);
  });
});

describe("when the provider finds a request too long", () => {
  const overflow = [fault("context_overflow")];

  test("[LC25] with six turns: two thirds of the estimate stay, the note comes once, it is asked again, for an iteration", async () => {
    const conversation = await talk(6, {}, 900);
    const turn = await conversation.run([overflow, overflow, says("fits")], { input: "now" });
    const requests = conversation.provider.requests.slice(-3);
    expect(requests.map((request) => questionsOf(request).length)).toEqual([7, 4, 2]);
    expect(requests.map(crumbsOf)).toEqual([0, 1, 1]);
    expect(eventsOf(turn, "history_trimmed").map(({ reason }) => reason)).toEqual(["overflow", "overflow"]);
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "fits", iterations: 3 });
  });

  test("[LC25] with one turn left nothing is announced, and the turn fails", async () => {
    const conversation = await talk(0);
    const turn = await conversation.run([overflow], { input: "now" });
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "context_overflow" });
    expect(eventsOf(turn, "history_trimmed")).toEqual([]);
    expect(conversation.log.map(({ code }) => code)).toEqual(["provider_fault"]);
  });

  test("[LC25] and when system text and specs alone are over the budget, the log names the setting", async () => {
    const agent = { system_prompt: "Be brief. ".repeat(400) };
    const conversation = await talk(0, { agent, runtime: { max_context_tokens: 900 } });
    await conversation.run([overflow], { input: "now" });
    expect(conversation.log).toMatchObject([
      { level: "error", code: "context_budget_too_small", fields: { setting: "max_context_tokens" } },
      { code: "provider_fault" },
    ]);
    const pruned = { max_context_tokens: 0, history_pruning: { enabled: true, max_tokens: 900 } };
    const other = await talk(0, { agent, runtime: pruned });
    await other.run([overflow], { input: "now" });
    expect(other.log[0]).toMatchObject({ fields: { setting: "history_pruning.max_tokens" } });
  });

  test("[LC25] of the tools only what is offered to the model counts", async () => {
    const properties = { note: { type: "string", description: "x".repeat(8000) } };
    const tools = [createTool("wide", () => "ok", { input: { type: "object", properties } })];
    const runtime = { max_context_tokens: 900 };
    const native = await talk(0, { tools, runtime });
    await native.run([overflow], { input: "now" });
    expect(native.log.map(({ code }) => code)).toEqual(["context_budget_too_small", "provider_fault"]);
    const strict = { ...runtime, strict_tool_parsing: true };
    const textOnly = await talk(0, { tools, runtime: strict, capabilities: { nativeTools: false } });
    await textOnly.run([overflow], { input: "now" });
    expect(textOnly.log.map(({ code }) => code)).toEqual(["provider_fault"]);
  });
});
