/** The predicates by which a text is judged. */
import { describe, expect, test } from "vitest";
import { ClassifiedText } from "../../../../../src/core/turn/parse/text/classified-text.ts";
import {
  holdsProtocolMark,
  startsProtocol,
  startsToolFence,
} from "../../../../../src/core/turn/parse/text/protocol-marks.ts";
import { ToolNames } from "../../../../../src/core/turn/parse/text/tool-names.ts";

const classify = (text: string, names: readonly string[] = ["lamp"]): ClassifiedText =>
  new ClassifiedText(text, new ToolNames(names));
const fence = (body: string): string => `\`\`\`JSON\n${body}\n\`\`\``;

describe("marks", () => {
  const tags = [
    "<tool_call",
    "<toolcall",
    "<tool-call",
    "<tools>",
    "<invoke",
    "<functioncall",
    "<function_call",
    "[tool_call]",
  ];
  const fences = ["```tool_call", "```toolcall", "```tool-call", "```invoke"];

  test.each([...tags, ...fences])("[TP57][TP58] %s starts protocol and marks it", (mark) => {
    expect(startsProtocol(`${mark} x`)).toBe(true);
    expect(startsToolFence(`${mark} x`)).toBe(mark.startsWith("`"));
    expect(holdsProtocolMark(`so ${mark} x`)).toBe(true);
    expect(startsProtocol(`so ${mark} x`)).toBe(false);
  });

  test("[TP57] a named fence needs white space that is no line break", () => {
    expect(startsToolFence("```tool lamp")).toBe(true);
    expect(startsToolFence("```tool\tlamp")).toBe(true);
    expect(startsToolFence("```tool\nlamp")).toBe(false);
    expect(startsToolFence("```tools")).toBe(false);
  });

  test("[TP58] inside a text only the space makes a named fence", () => {
    expect(holdsProtocolMark("so ```tool lamp")).toBe(true);
    expect(holdsProtocolMark("so ```tool\tlamp")).toBe(false);
    expect(holdsProtocolMark("<tool box> and <minimax:tool_call>")).toBe(false);
  });
});

describe("kinds", () => {
  const call = '{"name":"lamp","arguments":{}}';
  test.each([
    ["tagged_tool_call", `<tool_call>${call}</tool_call>`],
    ["tagged_tool_call", `\`\`\`tool_call\n${call}\n\`\`\` and words`],
    [undefined, `<tool_call>${call}</tool_call> and words`],
    [undefined, `<tool_call>${call}</tool_call> for example`],
    ["responses_function_call", '{"type":"function_call","name":"x","call_id":"c"}'],
    [
      "responses_function_call",
      '{"type":"function_call","name":"x","parameters":{},"tool_calls":[{"name":"y","arguments":{}}]}',
    ],
    [undefined, '{"type":"function_call","name":"x","call_id":" "}'],
    [undefined, '{"type":"function","name":"x","call_id":"c"}'],
    ["tool_calls", `{"tool_calls":[1,${call}],"toolcalls":[${call}]}`],
    ["tool_calls", '{"tool_calls":[{"function":{"name":"x","parameters":null}}]}'],
    [undefined, '{"tool_calls":[{"function":{"name":"x"},"arguments":{}}]}'],
    ["tool_calls_alias", `{"toolcalls":[${call}]}`],
    ["function_call", `{"function_call":${call},"tool_call_id":"t","result":1}`],
    ["tool_result", '{"tool_call_id":"t","output":null}'],
    [undefined, '{"tool_call_id":" ","output":1}'],
    [undefined, `[{"tool_calls":[${call}]}]`],
    ["tool_result", fence('{"tool_call_id":"t","content":1}')],
    [undefined, "words"],
  ])("[TP59] %s: %s", (kind, text) => {
    expect(classify(text).kind).toBe(kind);
  });

  test("[TP59] the kind of a fence is its body's, and a fence in it is text", () => {
    expect(classify(fence(fence('{"tool_call_id":"t","content":1}'))).kind).toBeUndefined();
    expect(classify(`${fence('{"tool_call_id":"t","content":1}')} more`).kind).toBeUndefined();
  });

  test.each([
    [true, '{"tool_calls":[{"function":{}}]}'],
    [true, '{"toolcalls":[{"arguments":1,"id":"x"}]}'],
    [true, '{"function_call":{"name":"x","parameters":1}}'],
    [true, '{"type":"function_call","call_id":"c"}'],
    [true, '{"type":"function_call","arguments":1}'],
    [true, fence('{"tool_calls":[{"function":{}}]}')],
    [false, '{"tool_calls":[{"name":"x"}]}'],
    [false, '{"tool_calls":[{"arguments":1}]}'],
    [false, '{"type":"function_call"}'],
    [false, '{"name":"lamp","arguments":{}}'],
  ])("[TP60] %s: %s looks like an envelope", (looks, text) => {
    expect(classify(text).looksLikeEnvelope).toBe(looks);
  });
});

describe("broken protocol", () => {
  test.each([
    ["both", '<tool_call>{"name":"x",}</tool_call>'],
    ["none", "<tool_call>{}</tool_call>"],
    ["none", '<tool_call>{"name":"x",}</tool_call> words'],
    ["both", '{"tool_call_id":"t","result":'],
    ["none", '{"tool_call_id":"t","rest":'],
    ["both", '{"tool_calls":[{"call_id":"c","arguments":{'],
    ["known", '{"tool_calls":[{"name": "LAMP" ,"arguments":{'],
    ["none", '{"tool_calls":[{"name":"x","arguments":{'],
    ["none", '{"tool_calls":[{"name":"lamp","args":{'],
    ["none", 'so {"tool_call_id":"t","result":'],
    ["both", fence('{"tool_call_id":"t","result":')],
    ["both", '```json\n{"tool_call_id":"t","result":'],
    ["none", '{"tool_call_id":"t","result":1}'],
  ])("[TP61] malformed for %s: %s", (who, text) => {
    expect(classify(text).isMalformed).toBe(who === "both");
    expect(classify(text).isMalformedForKnown).toBe(who !== "none");
  });

  test.each([
    [true, 'a <tool_call>{"name":"nobody"}</tool_call>'],
    [false, '<tool_call>{"name":"nobody"}</tool_call> is an example'],
    [false, "<tool_call>words</tool_call>"],
    [false, '{"name":"lamp"}'],
  ])("[TP62] tag call %s: %s", (expected, text) => {
    expect(classify(text).isTagCall).toBe(expected);
  });

  test.each([
    [true, '{"name":"LAMP"}'],
    [true, '{"function":{"name":"lamp"}}'],
    [true, '{"function_call":{"name":"lamp"}}'],
    [true, '{"tool_calls":[{"function":{"name":"lamp"}}]}'],
    [true, '{"toolcalls":[{"name":"lamp"}]}'],
    [true, '[1,{"name":"lamp"}]'],
    [true, fence('{"name":"lamp"}')],
    [true, 'a <tool_call>{"name":"lamp"}</tool_call>'],
    [false, '{"other":{"name":"lamp"}}'],
    [false, '{"name":"x","arguments":{"name":"lamp"}}'],
    [false, 'a {"name":"lamp"}'],
    [false, "lamp"],
  ])("[TP63] mentions a known name %s: %s", (expected, text) => {
    expect(classify(text).mentionsKnown).toBe(expected);
  });

  test.each([
    [true, '{"call_id":'],
    [true, '[{"function_call":'],
    [true, fence('{"toolcalls":')],
    [false, '{"call_id":1}'],
    [false, '{"arguments":'],
    [false, 'a {"call_id":'],
  ])("[TP64] incomplete %s: %s", (expected, text) => {
    expect(classify(text).isIncomplete).toBe(expected);
  });
});
