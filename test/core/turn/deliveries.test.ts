/** What a result delivers besides its text: files and plans. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/contracts/json.ts";
import { eventsOf, runOnce } from "../../support/core-fixture.ts";
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
  const plan = (list: JsonValue) => ({ success: true, output: "tracked", data: { todos: list } });

  test("[EX13] one event right behind the result; an empty list clears the plan", async () => {
    const turn = await run("todo_write", plan(todos), plan([]));
    const shown = turn.events.flatMap((event) => (/^tool_|^plan/.test(event.type) ? [event.type] : []));
    expect(shown).toEqual(["tool_call", "tool_result", "plan", "tool_call", "tool_result", "plan"]);
    expect(eventsOf(turn, "plan").map((event) => event.todos)).toEqual([todos, []]);
  });

  test.each([
    ["a failure", "todo_write", { success: false, error: "entry 0", data: { todos } }],
    ["another tool", "todo_read", plan(todos)],
    ["no list", "todo_write", plan("todos")],
    ["no data", "todo_write", { success: true, output: "tracked" }],
  ])("[EX13] %s makes none", async (_what, name, result) => {
    expect(eventsOf(await run(name, result), "plan")).toEqual([]);
  });
});
