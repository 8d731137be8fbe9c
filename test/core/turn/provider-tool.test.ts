/** Tools that the provider runs itself: seen by whoever watches, and by nothing else. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import { type RanTurn, eventsOf, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, finish, says, text } from "../../support/scripted-provider.ts";

const searched: ModelEvent = {
  type: "provider_tool",
  name: "web_search",
  arguments: { query: "tides" },
  success: true,
  output: "High water at noon. ".repeat(20),
  durationMs: 340,
};
const cut: ModelEvent = { type: "fault", fault: { kind: "cut", message: "gone" } };
const pairsOf = (turn: RanTurn) =>
  eventsOf(turn, "tool_call").map((call, at) => [call, eventsOf(turn, "tool_result")[at]] as const);

const shownOf = (turn: RanTurn): readonly string[] => eventsOf(turn, "text_delta").map((event) => event.text);

describe("a tool that the provider ran itself", () => {
  test("[PV12] is shown as a pair with one id, between the texts around it", async () => {
    const turn = await runOnce([[text("Looking. "), searched, searched, text("At noon."), finish()]]);
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "Looking. At noon.", iterations: 1 });
    expect(shownOf(turn)).toEqual(["Looking. ", "At noon."]);
    const kinds = turn.events.map(({ type }) => type);
    const [first, second] = ["tool_call", "tool_result"];
    const from = kinds.indexOf("text_delta");
    expect(kinds.slice(from, from + 6)).toEqual(["text_delta", first, second, first, second, "text_delta"]);
    const pairs = pairsOf(turn);
    expect(new Set(pairs.map(([call]) => call.call_id)).size).toBe(2);
    expect(pairs.map(([call, result]) => [call.index, result?.call_id === call.call_id])).toEqual([
      [0, true],
      [1, true],
    ]);
    expect(pairs[0]).toMatchObject([
      { tool: "web_search", origin: "provider", tool_origin: null, arguments: { query: "tides" } },
      { tool: "web_search", origin: "provider", disposition: null, success: true, chars: 400, duration_ms: 340 },
    ]);
  });

  test("[PV12][BD3] what it says is bounded, as every result is", async () => {
    const turn = await runOnce([[searched, text("ok"), finish()]], { runtime: { max_tool_result_chars: 60 } });
    const [result] = eventsOf(turn, "tool_result");
    expect(result).toMatchObject({ chars: 400, truncated: true });
    expect([...(result?.output ?? "")].length).toBeLessThanOrEqual(60);
  });

  test("[PV12] takes no slot, no receipt and no part in a guard", async () => {
    const conversation = openConversation({ risk: { level: "full" } });
    const same = Array.from({ length: 12 }, () => searched);
    const asked = [...same, ...calls({ name: "calculator", args: { expression: "1+1" } })];
    const turn = await conversation.run([asked, says("done")]);
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "done" });
    expect(turn.summary.receipts).toHaveLength(1);
    expect(conversation.sql.all("SELECT tool_origin FROM calls")).toEqual([{ tool_origin: "builtin" }]);
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(pairsOf(turn)).toHaveLength(13);
  });

  test.each([
    ["[PV12][PV11] then nothing", "empty_response", [searched, finish()]],
    ["[PV12][PV10] then a cut stream", "provider_error", [searched, cut]],
    ["[PV12][PV10] then no finish", "provider_error", [searched]],
  ] as const)("%s: it fails, and is not asked for again", async (_what, reason, response) => {
    const turn = await runOnce([response, says("not this")]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason });
    expect(turn.conversation.provider.requests).toHaveLength(1);
    const [pair] = pairsOf(turn);
    expect(pair?.[0].call_id).toBe(pair?.[1]?.call_id);
  });

  test("[PV12] an overflow behind it is not answered by asking with less", async () => {
    const overflow: ModelEvent = { type: "fault", fault: { kind: "context_overflow", message: "too long" } };
    const conversation = openConversation();
    await conversation.run([says("a")]);
    const turn = await conversation.run([[searched, overflow], says("not this")]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "context_overflow" });
  });

  test("[PV12][SE59] a name of any length is cut, and a thousand of them are enough", async () => {
    const long: ModelEvent = { ...searched, name: "n".repeat(10_000), output: "" };
    const turn = await runOnce([[...Array.from({ length: 1200 }, () => long), text("ok"), finish()]]);
    const results = eventsOf(turn, "tool_result");
    expect([results.length, results[0]?.tool.length]).toEqual([1000, 256]);
  });
});
