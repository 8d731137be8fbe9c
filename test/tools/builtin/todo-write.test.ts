/** todo_write: what a plan must hold, and what is said of it. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/contracts/json.ts";
import { todoWrite } from "../../../src/tools/builtin/todo-write.ts";
import { runTool } from "../run-tool.ts";

const todo = (more: JsonObject = {}): JsonObject => ({
  content: "Read the file",
  status: "pending",
  activeForm: "Reading the file",
  ...more,
});
const run = (...todos: readonly JsonObject[]) => runTool(todoWrite, { todos });

describe("todo_write", () => {
  test("[TC31] counts what is there and what is done", async () => {
    expect(await run(todo(), todo({ status: "completed" }), todo({ status: "in_progress" }))).toMatchObject({
      success: true,
      output: "3 todos tracked (1 done)",
    });
    expect(await run()).toEqual({ success: true, output: "0 todos tracked (0 done)", data: { todos: [] } });
  });

  test.each([
    ["high", "high"],
    ["low", "low"],
    ["medium", "medium"],
    ["urgent", "medium"],
    [7, "medium"],
    [undefined, "medium"],
  ])("[TC31] the priority %j is %s", async (given, priority) => {
    const plan = { success: true, data: { todos: [{ ...todo(), priority }] } };
    expect(await run(todo(given === undefined ? {} : { priority: given }))).toMatchObject(plan);
  });

  test.each([
    ["a status that is none", { status: "done" }, "status"],
    ["blank content", { content: " \n" }, "content"],
    ["no active form to show", { activeForm: "" }, "activeForm"],
  ])("[TC31] %s fails the whole list, and the first such entry is named", async (_what, bad, field) => {
    const result = await run(todo(), todo(), todo(bad), todo(bad));
    expect(result).toMatchObject({ success: false, error: expect.stringMatching(`^entry 2: ${field} `) });
    expect(result).not.toHaveProperty("data");
  });

  test("[TC31] an entry without a field is no argument that fits, at its index", () => {
    const { status: _status, ...without } = todo();
    expect(todoWrite.checkArguments({ todos: [todo(), without] })).toMatchObject({
      ok: false,
      failure: [{ path: "todos.1.status" }],
    });
  });

  test("[TC31] the model is told of the three states and the three priorities", () => {
    expect(todoWrite.definition.inputSchema).toMatchObject({
      properties: {
        todos: {
          items: {
            required: ["content", "status", "activeForm"],
            properties: {
              status: { type: "string", enum: ["pending", "in_progress", "completed"] },
              priority: { enum: ["high", "medium", "low"] },
            },
          },
        },
      },
    });
  });
});
