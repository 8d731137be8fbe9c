/** From a JSON value to calls: which objects are calls, what they are called with, which id they have. */
import { describe, expect, test } from "vitest";
import { callsIn } from "./read.ts";

const one = (value: unknown): unknown => callsIn(JSON.stringify(value))[0];

describe("which values are calls", () => {
  test("[TP9] entries of tool_calls that are calls, and nothing beside them", () => {
    const value = { name: "root", tool_calls: [{ name: "a" }, { no: 1 }, { function: { name: "b" } }, 3, null] };
    expect(callsIn(JSON.stringify(value))).toEqual([
      ["a", {}],
      ["b", {}],
    ]);
  });

  test("[TP9] with no call in tool_calls the object itself may be one", () => {
    expect(callsIn('{"name":"a","tool_calls":[{"x":1}]}')).toEqual([["a", {}]]);
    expect(callsIn('{"name":"a","tool_calls":{"name":"b"}}')).toEqual([["a", {}]]);
  });

  test("[TP9] a list gives its elements, not what is nested in them", () => {
    expect(callsIn('[{"name":"a"},[{"name":"b"}],{"tool_calls":[{"name":"c"}]},{"name":"d"}]')).toEqual([
      ["a", {}],
      ["d", {}],
    ]);
  });

  test.each([
    '{"toolcalls":[{"name":"a","arguments":{}}]}',
    '{"function_call":{"name":"a","arguments":{}}}',
    '{"type":"function_call","call":{"name":"a"}}',
  ])("[TP9][TP45] %s is recognised and never unwrapped", (text) => {
    expect(callsIn(text)).toEqual([]);
  });

  test("[TP9] a function_call item runs through its own name", () => {
    expect(callsIn('{"type":"function_call","name":"a","call_id":"c","arguments":"{\\"x\\":1}"}')).toEqual([
      ["a", { x: 1 }, "c"],
    ]);
  });
});

describe("name and arguments", () => {
  test.each([
    [{ function: { name: " a ", arguments: { x: 1 } }, name: "root", arguments: { y: 2 } }, ["a", { x: 1 }]],
    [{ function: { name: "a", parameters: { x: 1 } }, arguments: { y: 2 } }, ["a", { x: 1 }]],
    [{ function: { name: " ", arguments: { x: 1 } }, name: "root", parameters: { y: 2 } }, ["root", { y: 2 }]],
    [{ function: "a", name: "root" }, ["root", {}]],
    [{ name: "a", arguments: { x: 1 }, parameters: { y: 2 } }, ["a", { x: 1 }]],
    [{ name: "a", arguments: null, parameters: { y: 2 } }, ["a", null]],
    [{ name: "a", args: { x: 1 }, input: { y: 2 } }, ["a", {}]],
  ])("[TP10] %j is called as %j", (value, call) => {
    expect(one(value)).toEqual(call);
  });

  test.each([{ name: 7 }, { name: "" }, { name: "\t" }, { function: { name: "" } }, { tool: "a" }])(
    "[TP10] %j is no call",
    (value) => {
      expect(one(value)).toBeUndefined();
    },
  );

  test.each([
    ['{"a":1}', { a: 1 }],
    [" ", {}],
    ["plain words", {}],
    ['{"a":', {}],
    ["[1,2]", [1, 2]],
    ["7", 7],
    ['"{\\"a\\":1}"', { a: 1 }],
    [true, true],
    [
      { deep: { list: ['{"b":"[1]"}', " [2]", "{half", "42", "true", '"q"'] } },
      { deep: { list: [{ b: [1] }, [2], "{half", "42", "true", '"q"'] } },
    ],
  ])("[TP11] arguments %j mean %j", (raw, args) => {
    expect(one({ name: "a", arguments: raw })).toEqual(["a", args]);
  });
});

describe("the id", () => {
  test.each([
    [{ function: { name: "a", id: " f " }, id: "r" }, "f"],
    [{ function: { name: "a" }, id: "r", call_id: "c" }, "r"],
    [{ name: "a", tool_call_id: "t", call_id: "c" }, "t"],
    [{ name: "a", call_id: "c" }, "c"],
    [{ name: "a", function: { id: "f" }, call_id: "c" }, "c"],
    [{ name: "a", id: 7, call_id: "c" }, undefined],
    [{ name: "a", id: null, call_id: "c" }, undefined],
    [{ name: "a", id: "  ", tool_call_id: "t" }, undefined],
    [{ name: "a" }, undefined],
  ])("[TP12] of %j is %j", (value, id) => {
    expect(one(value)).toEqual(id === undefined ? ["a", {}] : ["a", {}, id]);
  });
});
