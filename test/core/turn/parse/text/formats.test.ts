/** The twelve formats, each by its rule: what is read, and what is left over. */
import { describe, expect, test } from "vitest";
import { type ShortCall, read } from "./read.ts";

type Row = readonly [rule: string, text: string, calls: readonly ShortCall[], leftOver: string];
const oven: ShortCall = ["oven_set", { celsius: 180 }];
const ovenJson = '{"name":"oven_set","arguments":{"celsius":180}}';
const invoke = (inside: string): string => `<invoke name="oven_set">${inside}</invoke>`;

const ROWS: readonly Row[] = [
  [
    "[TP25] envelope with content",
    '{"content":" Mixing. ","tool_calls":[{"id":"m1","function":{"name":"dough_mix","arguments":"{\\"kg\\":2}"}}]}',
    [["dough_mix", { kg: 2 }, "m1"]],
    "Mixing.",
  ],
  ["[TP25] content that is no text", '{"content":[],"name":"oven_list"}', [["oven_list", {}]], ""],
  ["[TP25] no usable name", '{"content":"Hi"}', [], '{"content":"Hi"}'],
  [
    "[TP26] either quote, other attributes, any case",
    `<INVOKE id='1' name='oven_set'><Parameter x="y" name="celsius">220</PARAMETER></Invoke>`,
    [["oven_set", { celsius: 220 }]],
    "",
  ],
  [
    "[TP26] values by their first JSON value",
    invoke(
      '<parameter name="a"> x {"b":1} y {} </parameter><parameter name="c">true</parameter><parameter name="d">two words</parameter>',
    ),
    [["oven_set", { a: { b: 1 }, c: true, d: "two words" }]],
    "",
  ],
  [
    "[TP26] blank values are skipped, the last of two counts",
    invoke('<parameter name="a"> </parameter><parameter name="b">x</parameter><parameter name="b">y</parameter>'),
    [["oven_set", { b: "y" }]],
    "",
  ],
  ["[TP27] a value that is no object", invoke(" [1] "), [["oven_set", { value: [1] }]], ""],
  [
    "[TP27] a blank name takes the block away",
    `a ${invoke("")} b <invoke name=" ">x</invoke> c`,
    [["oven_set", {}]],
    "a\nb\nc",
  ],
  [
    "[TP27] an open block is passed over",
    `<invoke name="dough_mix"> ${invoke("")} rest <invoke name="dough_mix">`,
    [["dough_mix", { content: '<invoke name="oven_set">' }]],
    'rest <invoke name="dough_mix">',
  ],
  ["[TP28] with its own close tag", `a <tool_call>x ${ovenJson} y ${ovenJson}</tool_call> b`, [oven, oven], "a\nb"],
  [
    "[TP28] a nested equal opener is not counted",
    `<tool_call><tool_call>${ovenJson}</tool_call> rest</tool_call>`,
    [oven],
    "rest</tool_call>",
  ],
  ["[TP28] a body that says nothing leaves no trace", "a <tool_call>nothing</tool_call> b", [], "a\nb"],
  ["[TP29] (a) a foreign close tag", `<tool_call>${ovenJson}</tools> b`, [oven], "b"],
  ["[TP29] (b) an object right behind", `<tool_call> ${ovenJson}</x></y> Done`, [oven], "Done"],
  [
    "[TP29] (c) the first value anywhere, and only that",
    `<tool_call>so: ${ovenJson} and ${ovenJson}`,
    [oven],
    `and ${ovenJson}`,
  ],
  ["[TP29] (c) a broken value ends the search", `<tool_call>{"a":[} ${ovenJson}`, [], `<tool_call>{"a":[} ${ovenJson}`],
  [
    "[TP29] (d) the repair",
    '<tool_call>{"name":"file_write","arguments":{"path":"p","content":"a "b" c"}}',
    [["file_write", { path: "p", content: 'a "b" c' }]],
    "",
  ],
  ["[TP29] (e) the shorthand", "<tool_call>shell>uptime\nand more", [["shell", { command: "uptime\nand more" }]], ""],
  ["[TP29] (f) what cannot be read stays", "a <tool_call>words", [], "a\n<tool_call>words"],
  [
    "[TP30] child elements as strings",
    "<tool_call> <dough_mix><kg> 2 </kg><n></n><THOUGHT>x</THOUGHT></dough_mix></tool_call>",
    [["dough_mix", { kg: "2" }]],
    "",
  ],
  [
    "[TP30] JSON inside",
    '<tool_call><dough_mix>so [1]</dough_mix><oven_set>{"celsius":1}</oven_set></tool_call>',
    [
      ["dough_mix", { value: [1] }],
      ["oven_set", { celsius: 1 }],
    ],
    "",
  ],
  [
    "[TP30] elements that are no tools",
    "<tool_call><Reasoning>x</Reasoning><dough_mix>now</dough_mix></tool_call>",
    [["dough_mix", { content: "now" }]],
    "",
  ],
  ["[TP30] attributes make it another format", '<tool_call><dough_mix kg="2">x</dough_mix></tool_call>', [], ""],
  ["[TP30] words in front make it another format", "<tool_call>so <dough_mix>x</dough_mix></tool_call>", [], ""],
  ["[TP31] NAME(ARGS)", "<tool_call>oven_set( 90 )</tool_call>", [["oven_set", { input: "90" }]], ""],
  [
    "[TP31] attributes",
    '<tool_call>oven_set celsius="90", mode="fan" /></tool_call>',
    [["oven_set", { celsius: "90", mode: "fan" }]],
    "",
  ],
  [
    "[TP31] NAME>VALUE with its end dropped",
    "<tool_call>oven_set>90//>/></tool_call>",
    [["oven_set", { input: "90" }]],
    "",
  ],
  ["[TP31] letters of any script make a name", "<tool_call>öfen_2>90</tool_call>", [["öfen_2", { input: "90" }]], ""],
  ["[TP31] the first form that fits is the one meant", "<tool_call>shell>echo (hi)</tool_call>", [], ""],
  ["[TP31] no name", "<tool_call>>90</tool_call>", [], ""],
  [
    "[TP32] lines",
    "<tool_call>oven_set>\npreheat: yes\nfan: false\nat: 12:30\nempty:\nno colon</tool_call>",
    [["oven_set", { preheat: true, fan: false, at: "12:30" }]],
    "",
  ],
  [
    "[TP32] a lone line is a value",
    "<tool_call>oven_set>celsius: 200</tool_call>",
    [["oven_set", { input: "celsius: 200" }]],
    "",
  ],
  [
    "[TP32] lines that say nothing are a value",
    "<tool_call>shell>ls\npwd</tool_call>",
    [["shell", { command: "ls\npwd" }]],
    "",
  ],
  [
    "[TP32] URLs",
    "<tool_call>bash>https://a.invalid</tool_call><tool_call>sh>https://a.invalid x</tool_call><tool_call>fetch>https://b.invalid</tool_call>",
    [
      ["shell", { command: "curl -s 'https://a.invalid'" }],
      ["shell", { command: "https://a.invalid x" }],
      ["http_request", { url: "https://b.invalid", method: "GET" }],
    ],
    "",
  ],
  ["[TP32] an empty value", "<tool_call>oven_set> </tool_call>", [], ""],
  [
    "[TP37] the languages and ends",
    `a\n\`\`\`tool-call  \n${ovenJson}\n</toolcall> b\n\`\`\`invoke\n${ovenJson}\n\`\`\` c`,
    [oven, oven],
    "a\nb\nc",
  ],
  ["[TP37] an open fence is not read", `\`\`\`tool_call\n${ovenJson}`, [], `\`\`\`tool_call\n${ovenJson}`],
  [
    "[TP37] upper case is no such fence",
    `\`\`\`Tool_Call\n${ovenJson}\n\`\`\``,
    [],
    `\`\`\`Tool_Call\n${ovenJson}\n\`\`\``,
  ],
  [
    "[TP38] each value is a call, nothing is unwrapped",
    '```tool dough_mix\n{"kg":"[1]","id":"x"} [2]\n```',
    [
      ["dough_mix", { kg: "[1]", id: "x" }],
      ["dough_mix", {}],
    ],
    "",
  ],
  [
    "[TP38] the repair of the arguments",
    '```tool file_write\n{"path":"p","content":"say "hi""}\n```',
    [["file_write", { path: "p", content: 'say "hi"' }]],
    "",
  ],
  [
    "[TP38] the repair is for one tool",
    '```tool dough_mix\n{"path":"p","content":"say "hi""}\n```',
    [],
    '```tool dough_mix\n{"path":"p","content":"say "hi""}\n```',
  ],
  [
    "[TP39] the narrow form",
    '<tools>[]</tools> <tool_call>a- <minimax:toolcall><invoke name="oven_set" x><parameter name="a"> 3 </parameter></invoke></minimax:toolcall> b',
    [["oven_set", { a: " 3 " }]],
    "[]\n<tool_call>a-  b",
  ],
  [
    "[TP39] single quotes are not narrow",
    "<tools>[]</tools><invoke name='oven_set'><parameter name='a'>3</parameter></invoke>",
    [],
    "[]\n<invoke name='oven_set'><parameter name='a'>3</parameter></invoke>",
  ],
  [
    "[TP39] no parameter, no call",
    '<tools>[]</tools><invoke name="oven_set"></invoke>',
    [],
    '[]\n<invoke name="oven_set"></invoke>',
  ],
  [
    "[TP40] bracketed and plain",
    'a [TOOL_CALL]{tool => "oven_set", args => {--celsius "90" --mode "fan"}}[/TOOL_CALL] b TOOL_CALL\n{tool => "dough_mix", args => {\n--kg "1"}}\n/TOOL_CALL c',
    [
      ["oven_set", { celsius: "90", mode: "fan" }],
      ["dough_mix", { kg: "1" }],
    ],
    "a [] b  c",
  ],
  [
    "[TP40] a block without arguments does not borrow those of the next",
    '[TOOL_CALL]{tool => "oven_set", args => {}}[/TOOL_CALL][TOOL_CALL]{tool => "dough_mix", args => {--kg "1"}}[/TOOL_CALL]',
    [["dough_mix", { kg: "1" }]],
    "[][]",
  ],
  [
    "[TP41] lines of the code",
    "a <FunctionCall> oven_set <code>celsius > 90>x\n>b\nc>\nmode>fan</code> </FunctionCall> b",
    [["oven_set", { celsius: "90>x", mode: "fan" }]],
    "a  b",
  ],
  [
    "[TP41] exact case, nothing nested",
    "<functioncall>oven_set<code>a>1</code></functioncall>",
    [],
    "<functioncall>oven_set<code>a>1</code></functioncall>",
  ],
  [
    "[TP41] the last of two openings",
    "<FunctionCall><FunctionCall>oven_set<code>a>1</code></FunctionCall>",
    [["oven_set", { a: "1" }]],
    "<FunctionCall>",
  ],
  [
    "[TP42] values, objects, what is left",
    'a\n oven_set/celsius > 90\noven_set/{"b":1}\nno/thing here\nb',
    [
      ["oven_set", { celsius: "90" }],
      ["oven_set", { b: 1 }],
    ],
    "a\n\n\nno/thing here\nb",
  ],
  [
    "[TP42] shell",
    "shell/cmd>ls\nshell/x>https://a.invalid\nshell/url>https://b.invalid\nshell/url>no url",
    [
      ["shell", { command: "ls" }],
      ["shell", { command: "curl -s 'https://a.invalid'" }],
      ["shell", { command: "curl -s 'https://b.invalid'" }],
    ],
    "shell/url>no url",
  ],
  ["[TP42] http_request", "http/x>anything", [["http_request", { url: "anything", method: "GET" }]], ""],
  [
    "[TP42] JSON that is not the whole rest, or no object",
    'oven_set/{"b":1} x\noven_set/[1]',
    [],
    'oven_set/{"b":1} x\noven_set/[1]',
  ],
];

describe("formats", () => {
  test.each(ROWS)("%s", (...[, text, calls, leftOver]) => {
    expect(read(text)).toEqual({ calls, text: leftOver });
  });
});

describe("the tools tag", () => {
  const inert = [
    ["[TP35] something follows the value", `${ovenJson} x`],
    ["[TP35] no value", "words"],
    ["[TP36] a list", `[${ovenJson}]`],
    ["[TP36] a declaration", '{"name":"oven_set","arguments":{},"description":"x"}'],
    ["[TP36] parameters", '{"name":"oven_set","arguments":{},"parameters":{}}'],
    ["[TP36] function", '{"name":"oven_set","arguments":{},"function":{}}'],
    ["[TP36] tool_calls", `{"name":"oven_set","arguments":{},"tool_calls":[${ovenJson}]}`],
    ["[TP36] a blank name", '{"name":" ","arguments":{}}'],
    ["[TP36] no arguments", '{"name":"oven_set"}'],
    ["[TP36] a text", '"</tools>shell/c>id"'],
  ] as const;

  test.each(inert)("%s: %s stays text, and calls go on behind it", (_rule, body) => {
    expect(read(`<tools>${body}</tools> <tool_call>${ovenJson}</tool_call>`)).toEqual({ calls: [oven], text: body });
  });

  test("[TP35] unclosed, one value and white space make a call", () => {
    expect(read(`<tools>\n${ovenJson}\n`)).toEqual({ calls: [oven], text: "" });
  });

  test("[TP35][PA10] a body that breaks off inside JSON is refused to the end", () => {
    const text = `{"name":"oven_set","arguments":{ </tools><tool_call>${ovenJson}</tool_call>\nshell/c>id`;
    expect(read(`<tools>${text}`)).toEqual({ calls: [], text });
  });

  test("[TP36][TP23] a fence inside a refused span is not read", () => {
    const fence = `\`\`\`tool_call\n${ovenJson}\n\`\`\``;
    expect(read(`<tools>see ${fence}</tools>`).calls).toEqual([]);
    expect(read(`<tools>see</tools>${fence}`).calls).toEqual([oven]);
  });
});

describe("the file_write repair", () => {
  const broken = (content: string, before = '"path":"p"'): string =>
    `{"name":"file_write","arguments":{${before},"content":"${content}"}}`;
  const written = (content: string): readonly ShortCall[] => [["file_write", { path: "p", content }]];

  test.each([
    ["a call object", broken('x="1"'), written('x="1"')],
    ["an alias", broken('x="1"').replace("file_write", "writefile"), written('x="1"')],
    ["an envelope", `{"tool_calls":[{"id":"1","function":${broken('x="1"')}}]}`, written('x="1"')],
    ["a list", `[${broken('x="1"')}]`, written('x="1"')],
    ["parameters", broken('x="1"').replace("arguments", "parameters"), written('x="1"')],
    ["other members in front", broken('x="1"', '"mode":"w","path":"p"'), written('x="1"')],
    ["braces in the content", broken('{"a":"b"} x'), written('{"a":"b"} x')],
    ["a fence around it", `\`\`\`json\n${broken('x="1"')}\n\`\`\``, written('x="1"')],
    ["a close tag behind it", `${broken('x="1"')}</tool_call>`, written('x="1"')],
  ])("[TP33] %s", (_what, text, calls) => {
    expect(read(text).calls).toEqual(calls);
  });

  test.each([
    ["another tool", broken('x="1"').replace("file_write", "dough_mix")],
    ["content first", '{"name":"file_write","arguments":{"content":"x="1"","path":"p"}}'],
    ["a blank path", broken('x="1"', '"path":" "')],
    ["a path that is no text", broken('x="1"', '"path":1')],
    ["a member behind it", '{"name":"file_write","arguments":{"path":"p","content":"x="1"","mode":"w"}}'],
    ["several members behind it", '{"name":"file_write","arguments":{"path":"p","content":"x="1"","a":1,"b":{"c":2}}}'],
    ["words behind it", `${broken('x="1"')} and so on`],
    ["no end", '{"name":"file_write","arguments":{"path":"p","content":"x="1"'],
    ["another call in front", `[{"name":"dough_mix","arguments":{}},${broken('x="1"')}]`],
    ["arguments in front of the name", `{"arguments":{"a":"${broken('x="1"')}`],
    ["no name of its own", `{"arguments":${broken('x="1"')}}`],
    ["words in front", `so ${broken('x="1"')}`],
  ])("[TP33] not with %s", (_what, text) => {
    expect(read(text).calls).toEqual([]);
  });

  test("[TP34] escapes are decoded; what is no escape or no scalar value stays as written", () => {
    const raw = String.raw`"\n\t\"\\n\/ \u00e9 \ud83d\ude00 \ud83d \q \u12`;
    expect(read(broken(raw)).calls).toEqual(written(`"\n\t"\\n/ é 😀 \\ud83d \\q \\u12`));
  });
});
