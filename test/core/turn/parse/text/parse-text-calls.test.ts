/** What a response comes to: calls kept, text shown, issues raised. */
import { describe, expect, test } from "vitest";
import {
  cleanResponse,
  stripThink,
  stripTrailingMarkers,
} from "../../../../../src/core/turn/parse/text/clean-response.ts";
import {
  MOST_PARSED_CHARS,
  type TextParsing,
  parseTextCalls,
} from "../../../../../src/core/turn/parse/text/parse-text-calls.ts";

const call = '<tool_call>{"name":"oven_set","arguments":{"celsius":180},"id":"p1"}</tool_call>';
const parse = (text: string, more: Partial<TextParsing> = {}): ReturnType<typeof parseTextCalls> =>
  parseTextCalls(text, { knownNames: ["oven_set", "files__read"], strict: false, ...more });
const namesOf = (text: string, more: Partial<TextParsing> = {}): readonly string[] =>
  parse(text, more).calls.map(({ name }) => name);

describe("when text is parsed", () => {
  test.each<readonly [string, Partial<TextParsing>]>([
    ["no tool is offered", { knownNames: [] }],
    ["the response has native calls", { nativeCalls: true }],
    ["parsing is strict", { strict: true }],
  ])("[TP1][PA5] no call when %s", (_why, more) => {
    expect(namesOf(call)).toEqual(["oven_set"]);
    expect(parse(call, more)).toMatchObject({ calls: [], visibleText: call });
  });

  test("[TP1] no call, no issue and the whole text when it is too long", () => {
    const filler = "x".repeat(MOST_PARSED_CHARS - call.length);
    expect(namesOf(call + filler)).toEqual(["oven_set"]);
    expect(parse(`${call}${filler}x`, { withheld: true })).toEqual({
      text: `${call}${filler}x`,
      calls: [],
      visibleText: `${call}${filler}x`,
      lost: [],
    });
  });

  test("[TP74] strict: no call, no issue, the text as it is but for thinking and markers", () => {
    const text = '{"function_call":{"name":"oven_set","arguments":{}}}';
    expect(parse(text).issue).toBe("envelope");
    const strict = parse(`<think>a</think>${text}<eom>`, { strict: true, withheld: true });
    expect(strict).toEqual({ text, calls: [], visibleText: text, lost: [] });
  });
});

describe("cleaning", () => {
  test("[TP3] well-formed, then thinking, then markers", () => {
    expect(cleanResponse("\uD83Da <eom><think>x</think>")).toBe("\uFFFDa ");
    expect(cleanResponse("a<eo<think>b</think>m>")).toBe("a");
  });

  test.each([
    [" a <think>b</think> c ", "a  c"],
    ["a<think>b", "a"],
    ["a</think>b", "a</think>b"],
    ["<Think>a</Think>", "<Think>a</Think>"],
    ["<thinking>a</thinking>", "<thinking>a</thinking>"],
    ["<think>a<think>b</think>c</think>", "c</think>"],
  ])("[TP4] %j becomes %j", (text, stripped) => {
    expect(stripThink(text)).toBe(stripped);
  });

  test("[TP4][PA1] nothing inside thinking runs, not even after the parser's own pass", () => {
    expect(namesOf(`<think>${call}</think>`)).toEqual([]);
    expect(namesOf(`<think>${call}`)).toEqual([]);
    expect(namesOf(`<thi<think></think>nk>${call}`)).toEqual([]);
  });

  test("[TP4] thinking inside arguments goes too", () => {
    expect(parse(call.replace('"p1"', '"p<think>x</think>1"')).calls[0]?.id).toBe("p1");
  });

  test.each([
    ["a <eom>", "a "],
    ["a <eom> \n<|eom|>\n", "a "],
    ["a \n", "a \n"],
    ["<eom>a", "<eom>a"],
    ["a<EOM>", "a<EOM>"],
    ["<eom>", ""],
  ])("[TP5] %j becomes %j", (text, stripped) => {
    expect(stripTrailingMarkers(text)).toBe(stripped);
  });
});

describe("calls kept", () => {
  test("[TP6][PA7] arguments as JSON text, the id it carried, any kind of value", () => {
    expect(parse(call).calls).toEqual([
      { name: "oven_set", args: { celsius: 180 }, id: "p1", argumentsText: '{"celsius":180}' },
    ]);
    expect(parse('{"name":"oven_set","arguments":[1,2]}').calls[0]?.argumentsText).toBe("[1,2]");
    expect(parse('{"name":"oven_set","arguments":"words"}').calls[0]?.argumentsText).toBe("{}");
  });

  test("[TP50][PA12] names not offered are dropped, others keep their spelling", () => {
    const text = `${call}<tool_call>{"name":"OVEN_SET"}</tool_call><tool_call>{"name":"read"}</tool_call><tool_call>{"name":"files.read"}</tool_call>`;
    expect(namesOf(text)).toEqual(["oven_set", "OVEN_SET"]);
  });

  test("[TP49] example, parser, filter, issue, display in this order", () => {
    const example = `For example: ${call}`;
    expect(parse(example)).toEqual({ text: example, calls: [], visibleText: example, lost: [] });
    expect(parse(`a ${call} b`)).toMatchObject({ visibleText: "a\nb" });
  });

  test("[TP51][PA18] left-over text beside calls, the response text without", () => {
    expect(parse(call).visibleText).toBe("");
    expect(parse(` Hi <eom>`).visibleText).toBe("Hi ");
    expect(parse(`Hi ${call}`, { nativeCalls: true }).visibleText).toBe(`Hi ${call}`);
  });

  test("[TP28] dropped bodies are told by their length alone", () => {
    expect(parse("<tool_call>secret words</tool_call> a").lost).toEqual([12]);
    expect(parse(call).lost).toEqual([]);
  });
});

describe("what never runs", () => {
  const json = '{"name":"oven_set","arguments":{}}';
  test.each([
    ["[TP43]", `You could send ${json} now.`],
    ["[TP43]", `\`\`\`json\n${json}\n\`\`\``],
    ["[TP43]", `\`\`\`python\n${json}\n\`\`\``],
    ["[TP43]", `<tool_result name="x">\n${json}\n</tool_result>`],
    ["[TP43]", `[Tool results]\n${json}`],
    ["[TP43]", '{"tool_call_id":"1","content":"{\\"name\\":\\"oven_set\\"}"}'],
    ["[TP45]", `<TOOL_CALL>${json}</TOOL_CALL>`],
    ["[TP45]", `<tool_call id="1">${json}</tool_call>`],
    ["[TP45]", `< tool_call>${json}</tool_call>`],
    ["[TP45]", '<invoke name="oven_set"><parameter name="a">1</parameter>'],
    ["[TP45]", `\`\`\`tool_call\n${json}`],
    ["[TP45]", '{"toolcalls":[{"name":"oven_set","arguments":{}}]}'],
    ["[TP45]", `<tools>[${json}]</tools>`],
    ["[TP47]", '<tool_call>{"name":"excluded","arguments":{}}</tool_call>'],
  ])("%s %s", (_rule, text) => {
    expect(namesOf(text)).toEqual([]);
  });

  test("[TP43] a code block, a result and prose hold no call", () => {
    expect(
      namesOf(`Look:\n\`\`\`js\n${json}\n\`\`\`\n[Tool results]\n<tool_result>${json}</tool_result> ${json}`),
    ).toEqual([]);
  });
  test("[TP44] nothing that overlaps a refused span", () => {
    expect(namesOf(`<tools>{"a": ${call}`)).toEqual([]);
  });
  test("[TP45] declarations and open blocks", () => {
    expect(namesOf(`<tools>${json.replace("arguments", "parameters")}</tools><invoke name="oven_set">`)).toEqual([]);
  });
  test("[TP46][SE65] only the text that is given is parsed: nothing is remembered from the one before", () => {
    expect(namesOf(call)).toEqual(["oven_set"]);
    expect(namesOf("Done.")).toEqual([]);
  });
  test("[TP47] a tool that is not offered now, though it was a moment ago", () => {
    expect(namesOf(call, { knownNames: ["other"] })).toEqual([]);
    expect(parse(call, { knownNames: ["other"] }).issue).toBe("tag_call");
  });
  test("[TP48] an approval claimed in text is an argument like any other", () => {
    const [claimed] = parse('{"name":"oven_set","approved":true,"arguments":{"approved":true}}').calls;
    expect(claimed).toEqual({ name: "oven_set", args: { approved: true }, argumentsText: '{"approved":true}' });
  });
});

describe("parse issues", () => {
  test.each([
    ["malformed", '<tool_call>{"name":"oven_set","arguments":{"a":}}</tool_call>'],
    ["malformed", '{"tool_calls":[{"name":"oven_set","arguments":{"a":1'],
    ["tag_call", '<tool_call>{"name":"rocket"}</tool_call> now'],
    ["envelope", '{"tool_call_id":"1","output":"x"}'],
    ["envelope", '{"function_call":{"name":"oven_set","arguments":{}}}'],
    ["envelope", '{"tool_calls":[{"function":{}}]}'],
    [undefined, '{"function_call":{"name":"rocket","arguments":{}}}'],
    [undefined, '{"tool_calls":[{"name":"rocket","arguments":{"a":1'],
    [undefined, "Just words."],
    [undefined, call],
    [undefined, '<tool_call>{"name":"rocket"}</tool_call> as an example'],
    [undefined, " "],
  ])("[TP54][PA13] with tools: %s for %s", (issue, text) => {
    expect(parse(text).issue).toBe(issue);
  });

  test("[TP54][TP71] text that the guard withheld is an issue unless a call came of it or it is an example", () => {
    expect(parse("Just words.", { withheld: true }).issue).toBe("withheld");
    expect(parse(call, { withheld: true }).issue).toBeUndefined();
    expect(parse(`For example ${call}`, { withheld: true }).issue).toBeUndefined();
  });

  test.each([
    ["malformed", '<tool_call>{"name":"oven_set","arguments":{"a":}}</tool_call>', true],
    ["tag_call", `${call} now`, true],
    ["envelope", '{"tool_calls":[{"function":{}}]}', true],
    [undefined, '{"function_call":{"name":"oven_set","arguments":{}}}', true],
    [undefined, '{"tool_call_id":"1","output":"x"}', true],
    [undefined, `For example ${call}`, true],
    [undefined, call, false],
  ])("[TP55] without tools: %s for %s", (issue, text, detectWithoutTools) => {
    expect(parse(text, { knownNames: [], detectWithoutTools }).issue).toBe(issue);
  });

  test("[TP55] without tools a suppression is always reported", () => {
    expect(parse("words", { knownNames: [], detectWithoutTools: false, withheld: true }).issue).toBe("withheld");
  });
});

describe("examples", () => {
  const fenced = '```json\n{"tool_calls":[{"name":"oven_set","arguments":{}}]}\n```';
  test.each([
    ["an example word in front", `This is a SAMPLE: ${call}`],
    ["one behind", `${call}\n示例`],
    ["a fence and a word behind it", `${fenced}\nis an example.`],
    ["a tool fence", "```tool oven_set\n{}\n```\nSuch as this example."],
  ])("[TP53][PA11] %s", (_what, text) => {
    expect(parse(text)).toMatchObject({ calls: [], visibleText: text });
    expect(parse(text).issue).toBeUndefined();
  });

  test.each([
    ["the word inside the arguments", call.replace("180", '"for example"')],
    ["no listed word", `For exemplary heat: ${call}`],
  ])("[TP53] not with %s", (_what, text) => {
    expect(namesOf(text)).toEqual(["oven_set"]);
  });

  test("[TP53] a fence needs an envelope in it and the word behind it", () => {
    expect(parse(fenced).issue).toBe("envelope");
    expect(parse(`${fenced}\nis what you send.`).issue).toBe("malformed");
    expect(parse(`${fenced}\nis an example\n\`\`\``).issue).toBeUndefined();
    const noEnvelope = fenced.replace('"arguments":{}', '"arguments":').replace("oven_set", "example");
    expect(parse(`${noEnvelope.replace("example", "oven_set")}\nis an example.`).issue).toBe("malformed");
  });
});
