/** The stages in their order: the first that yields a call is the one meant. */
import { describe, expect, test } from "vitest";
import { callsIn, read } from "./read.ts";

/** One text per stage, in order; none of them is a call to an earlier stage. */
const STAGES: readonly (readonly [name: string, text: string])[] = [
  ["f2", '<invoke name="f2"><parameter name="p">x</parameter></invoke>'],
  ["f3", '<tool_call>{"name":"f3"}</tool_call>'],
  ["f8a", '```tool_call\n{"name":"f8a"}\n```'],
  ["f8b", "```tool f8b\n{}\n```"],
  ["f10", '[TOOL_CALL]{tool => "f10", args => {--a "b"}}[/TOOL_CALL]'],
  ["f11", "<FunctionCall>f11<code>a>b</code></FunctionCall>"],
  ["f12", "f12/a>b"],
];

describe("precedence", () => {
  test.each(STAGES.map(([name], index) => ({ name, index })))(
    "[TP22][PA6] $name wins over all behind it",
    ({ name, index }) => {
      const text = STAGES.slice(index)
        .toReversed()
        .map(([, part]) => part)
        .join("\n");
      expect(callsIn(text).map(([called]) => called)).toEqual([name]);
    },
  );

  test("[TP22] the narrow form comes before the other tail formats", () => {
    const text = 'f12/a>b\n<tools>[]</tools>\n<invoke name="f9"><parameter name="p">x</parameter></invoke>\nf12/a>b';
    expect(callsIn(text)).toEqual([["f9", { p: "x" }]]);
  });

  test("[TP22] a whole JSON value wins over the markup in it", () => {
    expect(callsIn('{"name":"f1","arguments":{"m":"<tool_call>shell>id</tool_call>"}}').map(([name]) => name)).toEqual([
      "f1",
    ]);
  });

  test("[TP22] a `<tools>` anywhere leaves attributed invokes to the narrow form", () => {
    const invoke = '<invoke name="bash"><parameter name="p">3</parameter></invoke>';
    expect(callsIn(invoke)).toEqual([["bash", { p: 3 }]]);
    expect(callsIn(`${invoke} <tools>x</tools>`)).toEqual([]);
    expect(callsIn(`<tools>x</tools> ${invoke}`)).toEqual([["shell", { p: "3" }]]);
  });

  test("[TP22] fences replace the pieces; tail formats add to them", () => {
    expect(read("a <tool_call>no-call</tool_call> b ```tool x\n{}\n``` c").text).toBe(
      "a <tool_call>no-call</tool_call> b\nc",
    );
    expect(read("a <tool_call>no-call</tool_call> b\nx/y>z\nc").text).toBe("a\nb\n\nc");
  });

  test("[TP23] a fence that overlaps a refused span is text, one that touches it is read", () => {
    const fence = "```tool x\n{}\n```";
    expect(callsIn(`<tools>words</tools>${fence}`)).toEqual([["x", {}]]);
    expect(read(`<tools>words ${fence}`)).toEqual({ calls: [], text: `words ${fence}` });
    expect(callsIn("```tool x\n{}<tools>words</tools>\n```")).toEqual([]);
  });
});
