/** Texts made to be slow or to break the parser: each is read in steps that grow with its length. */
import { describe, expect, test } from "vitest";
import { createLiveText } from "../../../../src/core/turn/parse/live-text.ts";
import { MOST_PARSED_CHARS, parseTextCalls } from "../../../../src/core/turn/parse/text/parse-text-calls.ts";

const fill = (unit: string): string => unit.repeat(Math.floor(MOST_PARSED_CHARS / unit.length));
const knownNames = ["lamp"];

/** With a step for each pair of places these would take minutes, so that the test runner's own limit tells. */
const TEXTS: readonly (readonly [string, string])[] = [
  ["[", fill("[")],
  ['{"a":', fill('{"a":')],
  ["<tool_call>", fill("<tool_call>")],
  ["<tool_call></tool_call>", fill("<tool_call></tool_call>")],
  ["tags without a close tag of their own", fill('<tool_call>{"name":"a"}')],
  ["tools tags and fences", fill("<tools></tools>\n```tool_call\n{}\n```\n")],
  ["open fences", fill("```tool_call\n")],
  ["named fences", fill("```tool a\n")],
  ["attributed invokes", fill('<invoke name="a">')],
  ["invokes without an end", fill('<invoke name="a" ')],
  [
    "elements without an end",
    `<tool_call>${Array.from({ length: 40_000 }, (_, at) => `<a${at}>`).join("")}</tool_call>`,
  ],
  ["TOOL_CALL", `${fill("TOOL_CALL {").slice(100)}}} /TOOL_CALL`],
  ["FunctionCall", `${fill("<FunctionCall>a<code>").slice(100)}</FunctionCall>`],
  ["slash lines", fill("a/b>c\n")],
  ["think tags", fill("<think></think>")],
  ["markers", fill("<eom> ")],
  [
    "quotes in a repaired content",
    `{"name":"file_write","arguments":{"path":"p","content":"${fill('","a":"').slice(100)}`,
  ],
  [
    "braces in a repaired content",
    `{"name":"file_write","arguments":{"path":"p","content":"${fill('" } ').slice(100)}`,
  ],
  ["levels that close", fill("[".repeat(129) + "]".repeat(129))],
  ["strings that open lists", fill('["')],
  ["names of an envelope", `{"tool_calls":"arguments"${fill('"name":"').slice(100)}`],
  ["white space", `a${fill(" ").slice(2)}b`],
];

describe("hostile texts", () => {
  test.each(TEXTS)("[TP24] %s", (_what, text) => {
    const whole = text.slice(0, MOST_PARSED_CHARS);
    expect(parseTextCalls(whole, { knownNames, strict: false }).text.length).toBeLessThanOrEqual(MOST_PARSED_CHARS);
    const guard = createLiveText({ knownNames, strict: false });
    for (let at = 0; at < whole.length; at += 8) guard.push(whole.slice(at, at + 8));
    guard.end();
  });
});
