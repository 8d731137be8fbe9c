/** What of a response and of a result is kept: well-formed text, data within its limits, calls within reason. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import { dispositionsOf, eventsOf, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool } from "../../support/test-tools.ts";

const full = { risk: { level: "full" } } as const;

describe("data", () => {
  const withData = (data: unknown) =>
    runOnce([calls({ name: "it" }), says("ok")], {
      ...full,
      tools: [createTool("it", () => ({ success: true, output: "x", data }))],
    });
  const nested = (depth: number): unknown[] => (depth === 1 ? [] : [nested(depth - 1)]);

  test.each([
    [64, true],
    [65, false],
    [3000, false],
  ])("[TC8] nested %s deep is kept: %s; the turn goes on either way", async (depth, kept) => {
    const turn = await withData(nested(depth));
    expect([dispositionsOf(turn), turn.summary.text]).toEqual([["succeeded"], "ok"]);
    expect("data" in (eventsOf(turn, "tool_result")[0] ?? {})).toBe(kept);
    expect(turn.conversation.log.map(({ code }) => code)).toEqual(kept ? [] : ["tool_data_dropped"]);
  });

  test("[RX11] half a surrogate pair in it becomes U+FFFD, in names too", async () => {
    const turn = await withData({ "a\ud800": ["b\udfff"] });
    expect(eventsOf(turn, "tool_result")[0]?.data).toEqual({ "a\ufffd": ["b\ufffd"] });
  });
});

describe("calls", () => {
  test("[RX11] ids and metadata of a provider are well-formed wherever they go", async () => {
    const conversation = openConversation({ ...full, tools: [createTool("it")] });
    const broken = { "s\ud800": "\udc00", list: ["x"] };
    const whole = { "s\ufffd": "\ufffd", list: ["x"] };
    const made: readonly ModelEvent[] = [
      { type: "call", id: "id\ud800", name: "it", argumentsText: "{}", providerMetadata: broken },
      { ...(says()[0] as Extract<ModelEvent, { type: "finish" }>), providerMetadata: broken },
    ];
    const turn = await conversation.run([made, says("ok")]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ provider_call_id: "id\ufffd" }]);
    const kept = { providerMetadata: whole, calls: [{ providerMetadata: whole }] };
    expect(turn.history[1]).toMatchObject(kept);
    expect(conversation.provider.requests[1]?.messages[1]).toMatchObject(kept);
  });

  test("[SE59] of a flood 64 run, those up to the 256th are refused, the rest is dropped with one line", async () => {
    const it = createNoting("it");
    const made = Array.from({ length: 300 }, (_, n) => ({ name: "it", args: { n } }));
    const turn = await runOnce([calls(...made), says("ok")], { ...full, tools: [it.tool] });
    expect(it.ran).toHaveLength(64);
    expect(dispositionsOf(turn).filter((disposition) => disposition === "refused")).toHaveLength(192);
    expect(turn.history.filter(({ kind }) => kind === "tool")).toHaveLength(256);
    expect(turn.conversation.log).toMatchObject([
      { level: "warn", code: "calls_dropped", fields: { turn: "trn_1", kept: 256, dropped: 44 } },
    ]);
  });

  test("[SE59] the 256th is not dropped", async () => {
    const made = Array.from({ length: 256 }, (_, n) => ({ name: "it", args: { n } }));
    const turn = await runOnce([calls(...made), says("ok")], { ...full, tools: [createTool("it")] });
    expect([dispositionsOf(turn).length, turn.conversation.log]).toEqual([256, []]);
  });
});
