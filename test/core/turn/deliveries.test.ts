/** What a result delivers besides its text: files and plans. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/contracts/json.ts";
import { dispositionsOf, eventsOf, resultsOf, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

async function run(name: string, ...results: readonly unknown[]) {
  let next = 0;
  const tool = createTool(name, () => results[next++]);
  const batch = calls(...results.map((_, n) => ({ name, args: { n } })));
  return await runOnce([batch, says("ok")], { risk: { level: "full" }, tools: [tool] });
}

describe("a file", () => {
  const file = { delivered: true, path: "out/a.csv" };
  const named = { uri: "file:///out/a.csv", filename: "a.csv", title: "Sums", mime: "text/csv", size: 12 };
  test.each([
    ["delivered, with a path", file, { path: "out/a.csv", size: 0 }],
    ["with everything that is known of it", { ...file, ...named, more: 1 }, { path: "out/a.csv", ...named }],
    ["with a size that is none", { ...file, size: -1 }, { path: "out/a.csv", size: 0 }],
    ["with names that are none", { ...file, title: 7, mime: "" }, { path: "out/a.csv", size: 0 }],
    ["not delivered", { ...file, delivered: false }, undefined],
    ["delivered in words", { ...file, delivered: "true" }, undefined],
    ["without a path", { delivered: true }, undefined],
    ["with an empty path", { delivered: true, path: "" }, undefined],
    ["in a list", [file], undefined],
  ] as const)("[EX12] %s", async (_what, data: unknown, artifact: unknown) => {
    const [result] = eventsOf(
      await run("it", { success: true, output: "saved", data: data as JsonValue }),
      "tool_result",
    );
    expect(result?.artifact).toEqual(artifact);
  });

  test("[EX12][EX4] a failure delivers nothing and shows no data", async () => {
    const [result] = eventsOf(await run("it", { success: false, error: "no", data: file }), "tool_result");
    expect(result).not.toHaveProperty("artifact");
    expect(result).not.toHaveProperty("data");
  });
});

describe("a plan", () => {
  const todos = [{ content: "look", status: "pending", priority: "medium", activeForm: "looking" }];
  const write = (...lists: readonly (readonly object[])[]) =>
    runOnce([calls(...lists.map((list) => ({ name: "todo_write", args: { todos: list } }))), says("ok")]);

  test("[EX13] one event right behind the result; an empty list clears the plan", async () => {
    const turn = await write(todos, []);
    const shown = turn.events.flatMap((event) => (/^tool_|^plan/.test(event.type) ? [event.type] : []));
    expect(shown).toEqual(["tool_call", "tool_result", "plan", "tool_call", "tool_result", "plan"]);
    expect(eventsOf(turn, "plan").map((event) => event.todos)).toEqual([todos, []]);
  });

  test("[EX13][TC31] a list with a bad entry changes nothing: the call has failed", async () => {
    const turn = await write(todos, [...todos, ...todos, { ...todos[0], status: "done" }]);
    expect(dispositionsOf(turn)).toEqual(["succeeded", "failed"]);
    expect(eventsOf(turn, "plan")).toHaveLength(1);
    expect(resultsOf(turn)[1]).toContain("entry 2");
  });

  test.each(["todo_read", "todo_write"])("[EX13] another tool makes none, also one called %s", async (name) => {
    const tool = createTool(name, () => ({ success: true, output: "tracked", data: { todos } }));
    const turn = await runOnce([calls({ name }), says("ok")], {
      risk: { level: "full" },
      agent: { builtin_tools: [] },
      tools: [tool],
    });
    expect([dispositionsOf(turn), eventsOf(turn, "plan")]).toEqual([["succeeded"], []]);
  });
});
