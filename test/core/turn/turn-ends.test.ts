/** How turns end: finals, caps, summaries; what each end leaves in history and in the log. */
import { describe, expect, test } from "vitest";
import { resolveRuntimeKnobs } from "../../../src/core/execution/runtime-knobs.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { eventsOf, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, fault, finish, says, text } from "../../support/scripted-provider.ts";

const sum = (n: number) => calls({ name: "calculator", args: { expression: `${n}+1` } });
const capped = (runtime: object = {}) => ({ runtime: { max_tool_iterations: 2, ...runtime } });

describe("iterations", () => {
  test.each([
    [0, undefined, 10],
    [3, undefined, 3],
    [3, 50, 3],
    [3, 2, 2],
    [0, 4, 4],
    [3, 0, 3],
  ])("[RX5][RX6] profile %s, run %s: %s", async (max_tool_iterations, maxToolIterations, expected) => {
    const rounds = Array.from({ length: expected }, (_, n) => sum(n));
    const turn = await runOnce([...rounds, says("so far")], {
      runtime: { max_tool_iterations },
      narrowing: maxToolIterations === undefined ? {} : { maxToolIterations },
    });
    expect(turn.summary).toMatchObject({ outcome: "capped", reason: "max_tool_iterations", iterations: expected });
  });

  test.each([
    [{ max_tool_result_chars: 10 }, { maxToolResultChars: 0 }, 10],
    [{ max_tool_result_chars: 10 }, { maxToolResultChars: 20 }, 10],
    [{ max_tool_result_chars: 10 }, { maxToolResultChars: 8 }, 8],
    [{ max_tool_result_chars: 0 }, { maxToolResultChars: 8 }, 8],
    [{ max_tool_result_chars: 0 }, { maxToolResultChars: 0 }, 100],
  ])("[RX5] %o narrowed by %o: %s characters of a result", async (runtime, narrowing, length) => {
    const tools = [
      defineTool({ name: "it", description: "It.", input: { type: "object" }, execute: () => "x".repeat(100) }),
    ];
    const turn = await runOnce([calls({ name: "it" }), says("ok")], {
      risk: { level: "full" },
      tools,
      runtime,
      narrowing,
    });
    expect([...(eventsOf(turn, "tool_result")[0]?.output ?? "")].length).toBe(length);
  });

  test("[RX6] the history budget is the lower of the two that is not 0, once pruning is on", async () => {
    const { execution } = await runOnce([says("ok")]);
    const knobsOf = (maxContextTokens: number, enabled: boolean, maxTokens: number) =>
      resolveRuntimeKnobs({ ...execution.knobs, maxContextTokens, historyPruning: { enabled, maxTokens } }, {})
        .contextBudget;
    expect(knobsOf(32_000, false, 8192)).toBe(32_000);
    expect(knobsOf(32_000, true, 8192)).toBe(8192);
    expect(knobsOf(4000, true, 8192)).toBe(4000);
    expect(knobsOf(0, true, 8192)).toBe(8192);
    expect(knobsOf(32_000, true, 0)).toBe(32_000);
  });

  test("[LC2] a turn that fits its cap exactly is not capped", async () => {
    const turn = await runOnce([sum(1), says("done")], capped());
    expect(turn.summary).toMatchObject({ outcome: "completed", iterations: 2 });
  });
});

describe("the cap", () => {
  test("[LC4][HI3] with `error` there is no further call and no text; the rounds are kept", async () => {
    const turn = await runOnce([sum(1), sum(2)], capped({ max_iteration_behavior: "error" }));
    expect(turn.summary).toMatchObject({ outcome: "capped", text: "", iterations: 2 });
    expect(turn.conversation.provider.requests).toHaveLength(2);
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  });

  test("[LC4][LC5][LC7][PV15] else one plain call without tools; its text names the cap, history leaves that out", async () => {
    const turn = await runOnce([sum(1), sum(2), says("So far: ", "three.")], capped());
    const request = turn.conversation.provider.requests[2];
    expect(request).toMatchObject({ tools: [], stream: false });
    expect(request?.messages.at(-1)).toMatchObject({
      role: "user",
      parts: [{ text: expect.stringContaining("best answer") }],
    });
    expect(turn.summary).toMatchObject({ outcome: "capped", iterations: 2, usage: { inputTokens: 300 } });
    expect(turn.summary.text).toMatch(/^So far: three\.\n\n\(Stopped after 2 iterations.*\)$/);
    expect(eventsOf(turn, "text_delta").map((event) => event.text)).toEqual([turn.summary.text]);
    expect(turn.history.at(-1)).toMatchObject({ kind: "assistant", text: "So far: three." });
    const metered = eventsOf(turn, "usage").reduce((total, { input_tokens }) => total + input_tokens, 0);
    expect([eventsOf(turn, "usage").length, metered]).toEqual([3, turn.summary.usage.inputTokens]);
  });

  test.each([
    ["is blank", [text(" \n"), finish()], 300],
    ["is only thinking", [{ type: "reasoning", text: "hm" }, finish()], 300],
    ["fails", [fault()], 200],
    ["breaks off", [text("So f"), fault()], 200],
  ] as const)(
    "[LC6] a summary that %s: capped without text, no note kept, its tokens charged",
    async (_how, response, tokens) => {
      const turn = await runOnce([sum(1), sum(2), response], capped());
      expect(turn.summary).toMatchObject({ outcome: "capped", text: "", usage: { inputTokens: tokens } });
      expect(turn.history.at(-1)?.kind).toBe("tool");
      expect(eventsOf(turn, "text_delta")).toEqual([]);
    },
  );

  test("[LC6] a summary that is cancelled: cancelled", async () => {
    const cancel = new AbortController();
    async function* cancelling() {
      yield text("So f");
      cancel.abort();
      yield finish();
    }
    const turn = await runOnce([sum(1), sum(2), cancelling], { ...capped(), cancel: cancel.signal });
    expect(turn.summary).toMatchObject({ outcome: "cancelled", text: "" });
    expect(turn.history.at(-1)?.kind).toBe("tool");
  });

  test("[PV13] a summary has the time of any provider call", async () => {
    const conversation = openConversation(capped({ pacing: { step_timeout_secs: 5 } }));
    async function* late(_request: unknown, signal: { addEventListener(type: "abort", act: () => void): void }) {
      setImmediate(() => conversation.clock.advance(5000));
      await new Promise<void>((resolve) => signal.addEventListener("abort", resolve));
      yield text("too late");
    }
    expect((await conversation.run([sum(1), sum(2), late])).summary).toMatchObject({ outcome: "capped", text: "" });
  });
});

describe("history and log", () => {
  test("[LC1][HI1][HI2] final: rounds, then the answer; the next turn goes on from there", async () => {
    const conversation = openConversation();
    await conversation.run([sum(1), says("two")]);
    const next = await conversation.run([says("still two")], { input: "sure?" });
    expect(next.history.map(({ kind }) => kind)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(conversation.provider.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  test("[HI11] a provider that fails in the third iteration takes nothing away", async () => {
    const turn = await runOnce([sum(1), sum(2), [fault()], [fault()]]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error", iterations: 3 });
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
  });

  test("[HI7][HI8] a turn that failed without a word leaves its user message, which the next one joins", async () => {
    const conversation = openConversation();
    await conversation.run([[fault()], [fault()]], { input: "one" });
    await conversation.run([says("ok")], { input: "two" });
    expect(conversation.provider.requests.at(-1)?.messages).toEqual([
      {
        role: "user",
        parts: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ]);
  });

  test("[EV6][EV9] a sequential batch interleaves; usage, calls, deltas and the end are in order", async () => {
    const batch = calls({ name: "calculator", args: { expression: "1" } }, { name: "current_time", args: {} });
    const turn = await runOnce([batch, says("done")]);
    expect(turn.events.map(({ type }) => type)).toEqual([
      "turn_accepted",
      "turn_started",
      "usage",
      "tool_call",
      "tool_result",
      "tool_call",
      "tool_result",
      "text_delta",
      "usage",
      "turn_finished",
    ]);
    expect(eventsOf(turn, "tool_call").map(({ tool }) => tool)).toEqual(["calculator", "current_time"]);
  });

  test("[EV1][EV10] events are dense, and all carry turn, agent and channel; iterations where they belong", async () => {
    const turn = await runOnce([sum(1), says("two")]);
    expect(turn.events.map(({ seq }) => seq)).toEqual(turn.events.map((_, at) => at + 1));
    for (const event of turn.events) expect(event).toMatchObject({ turn: "trn_1", agent: "ada", channel: "http" });
    expect(turn.events.map(({ iteration }) => iteration)).toEqual([undefined, undefined, 1, 1, 1, 2, 2, undefined]);
  });

  test("[EV4] a call is announced with what it runs with, or with what the model wrote", async () => {
    const turn = await runOnce([
      calls(
        { name: "calculator", argumentsText: '{"expression": "1"}', id: "p1" },
        { name: "calculator", argumentsText: "[1" },
      ),
      says("ok"),
    ]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([
      { index: 1, arguments: "[1", origin: "native", iteration: 1 },
      { index: 0, arguments: { expression: "1" }, provider_call_id: "p1", tool_origin: "builtin" },
    ]);
  });
});
