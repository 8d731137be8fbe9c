/** The stages of live text, rule by rule. */
import { describe, expect, test } from "vitest";
import { createLiveText } from "../../../../src/core/turn/parse/live-text.ts";
import { createMarkerStripper } from "../../../../src/core/turn/parse/marker-stripper.ts";
import { createStreamGuard } from "../../../../src/core/turn/parse/stream-guard.ts";
import { createThinkStripper } from "../../../../src/core/turn/parse/think-stripper.ts";
import { unshownText } from "../../../../src/core/turn/parse/unshown-text.ts";
import { MOST_PARSED_CHARS } from "../../../../src/core/turn/parse/text/parse-text-calls.ts";

const names = ["lamp"];
const call = '{"name":"lamp","arguments":{"level":3}}';

interface Run {
  readonly pushes: readonly string[];
  readonly end: { readonly text: string; readonly withheld: boolean };
}
function guard(chunks: readonly string[], known: readonly string[] = names): Run {
  const made = createStreamGuard(known);
  return { pushes: chunks.map((chunk) => made.push(chunk)), end: made.end() };
}
function live(chunks: readonly string[], strict = false): Run {
  const made = createLiveText({ knownNames: names, strict });
  return { pushes: chunks.map((chunk) => made.push(chunk)), end: made.end() };
}
const released = (text: string): Run["end"] => ({ text, withheld: false });
const withheld: Run["end"] = { text: "", withheld: true };

describe("the stages together", () => {
  test("[TP65][PV5] thinking, then markers, then the guard", () => {
    expect(live(["Hi <thi", "nk><tool_call></think>there", " <e", "om>\n"])).toEqual({
      pushes: ["Hi ", "there", " ", ""],
      end: released(""),
    });
  });

  test("[TP65] what a stage held at its end still passes the next one", () => {
    expect(live(["<tool_call>", `${call}</tool_call><thi`]).end).toEqual(withheld);
    expect(live(["a <eom>", "<too"])).toEqual({ pushes: ["a ", "<eom>"], end: released("<too") });
  });

  test("[TP65][PV6] an opener cut in two is not let through in halves", () => {
    expect(live(["Well <to", `ol_call>${call}</tool_call>`])).toEqual({ pushes: ["Well ", ""], end: withheld });
    expect(live(["1 <", " 2"])).toEqual({ pushes: ["1 ", "< 2"], end: released("") });
  });

  test("[TP74] strict: no guard, but no thinking and no markers either", () => {
    const chunks = ["<think>a</think>", `<tool_call>${call}</tool_call>`, "<eom>"];
    expect(live(chunks, true)).toEqual({ pushes: ["", `<tool_call>${call}</tool_call>`, ""], end: released("") });
  });

  test("[TP66][PV9] what is open inside thinking at the end is dropped, what is held outside is not", () => {
    const inside = createThinkStripper();
    expect([inside.push("a<think>b</thi"), inside.end()]).toEqual(["a", ""]);
    const outside = createThinkStripper();
    expect([outside.push("a<think"), outside.push("er"), outside.push("<"), outside.end()]).toEqual([
      "a",
      "<thinker",
      "",
      "<",
    ]);
  });

  test("[TP67] a run that turns into text is released, white space and all", () => {
    const stripper = createMarkerStripper();
    expect(["a <eom>", " \n", "<|eom|>", "<e", "d>"].map((chunk) => stripper.push(chunk))).toEqual([
      "a ",
      "",
      "",
      "",
      "<eom> \n<|eom|><ed>",
    ]);
    expect(stripper.end()).toBe("");
  });
});

describe("passing", () => {
  test.each(["{", "[", " \n<TOOL", "<invoke", "<function", "```tool", "```Invoke", "```json"])(
    "[TP68] a chunk that starts with %j waits",
    (start) => {
      expect(guard([`${start} x`, "y"]).pushes).toEqual(["", ""]);
    },
  );

  test.each([
    ["an embedded tag", `words <toolcall`, true],
    ["a container key", `words {"a":1,"tool_calls" and then a lot of other words`, true],
    ["a container key with no bracket before it", `words "tool_calls" and then a lot of other words`, false],
    ["a late tag", "words <toolbox and then a lot of other words", true],
    ["a late bracket with a sign", 'words [ and "call', true],
    ["a late bracket near the end", "words [1234567890abcde", true],
    ["a bracket 17 bytes from the end", "words [1234567890abcdef", false],
    ["bytes, not letters", "words [éééééééé", false],
    ["an early bracket with a later one", '{1} words {"call":1} and then [ a lot of other words', true],
    ["plain words", "words < 3 and `code`", false],
  ])("[TP68] %s", (_what, chunk, waits) => {
    expect(guard([chunk]).pushes).toEqual([waits ? "" : chunk]);
  });

  test("[TP68] only the last bracket of a kind is late", () => {
    const chunk = 'x {"call":1} words {and then a lot of other words}';
    expect(guard([chunk]).pushes).toEqual([chunk]);
  });

  test("[TP68] an embedded candidate is withheld at once, with the prose of its chunk", () => {
    const made = createStreamGuard(names);
    expect(made.push(`Sure. <tool_call>${call}</tool_call>`)).toBe("");
    expect(made.push(" more")).toBe("");
    expect(made.end()).toEqual(withheld);
  });

  test("[TP68] after a release the guard passes again", () => {
    expect(guard(['{"a":', "1}", " words ", "[", "2]"]).pushes).toEqual(["", '{"a":1}', " words ", "", "[2]"]);
  });
});

describe("waiting", () => {
  test.each([
    ["<tool box>", released("<tool box> x")],
    ["<tool_call>words</tool_call>", released("<tool_call>words</tool_call> x")],
    [`<tool_call>${call}</tool_call>`, withheld],
    ["[tool_call] x", released("[tool_call] x x")],
    ["```json\n{}\n```", released("```json\n{}\n``` x")],
  ])("[TP69] nothing is decided about %j before the end", (text, end) => {
    expect(guard([text, " x"])).toEqual({ pushes: ["", ""], end });
  });

  test("[TP69] a complete JSON fence goes by what its body looks like", () => {
    const fence = (body: string): string => `\`\`\`json\n${body}\n\`\`\``;
    expect(guard([fence(call)]).end).toEqual(released(fence(call)));
    expect(guard([fence(`{"tool_calls":[${call}]}`)]).end).toEqual(withheld);
    expect(guard([fence('{"tool_calls":[{"function":{}}],"name":"lamp"}')]).end).toEqual(withheld);
    expect(guard([fence(`{"function_call":${call}}`)], []).end).toEqual(released(fence(`{"function_call":${call}}`)));
  });

  test("[TP69] complete JSON is released as soon as it is complete", () => {
    expect(guard(['{"a":"}', '"', "}"]).pushes).toEqual(["", "", '{"a":"}"}']);
    expect(guard(['{"a":"\\"', '}"} '])).toEqual({ pushes: ["", '{"a":"\\"}"} '], end: released("") });
    expect(guard(["{a}", " {b}"])).toEqual({ pushes: ["", ""], end: released("{a} {b}") });
  });

  test("[TP69][PV7] at the end broken protocol is withheld, other broken text is not", () => {
    expect(guard(['{"tool_calls":[{"name":"lamp",', '"arguments":{']).end).toEqual(withheld);
    expect(guard(['{"tool_calls":[{"name":"x",', '"arguments":{']).end).toEqual(
      released('{"tool_calls":[{"name":"x","arguments":{'),
    );
  });

  test("[TP69][TP24] long text is judged when it is complete, however long it took", () => {
    const text = `{"rows":[${'"x",'.repeat(5000)}"y"]}`;
    const chunks = text.match(/.{1,7}/gs) ?? [];
    expect(guard(chunks).pushes.at(-1) === text).toBe(true);
    expect(guard([...chunks.slice(0, -1), `],"tool_calls":[${call}]}`]).end.withheld).toBe(true);
  });
});

describe("what must be withheld", () => {
  test.each([
    [true, names, `<tool_call>${call}</tool_call>`],
    [true, [], `<tool_call>${call}</tool_call>`],
    [false, names, `<tool_call>${call}</tool_call> for example`],
    [true, names, '{"tool_call_id":"t","output":1}'],
    [false, [], '{"tool_call_id":"t","output":1}'],
    [true, names, `{"function_call":${call}}`],
    [false, names, '{"function_call":{"name":"x","arguments":{}}}'],
    [true, names, '{"tool_calls":[{"function":{}}]}'],
    [true, names, call],
    [true, names, `[${call},${call}]`],
    [false, names, `{"content":"For example <tool_call>","tool_calls":[${call}]}`],
    [false, names, "[]"],
    [false, names, '{"name":"x","arguments":{}}'],
    [false, [], call],
  ])("[TP70] %s with %j offered: %s", (expected, known, text) => {
    expect(guard([text], known).end.withheld).toBe(expected);
  });

  test("[TP70] text that is broken protocol so far is withheld, also when a sign of it was cut in two", () => {
    const chunks = ['{"x":{"tool_c', 'alls":[{"name":"lamp","arguments":{}', "}]}}"];
    expect(guard(chunks).end.withheld).toBe(true);
    expect(guard([chunks.join("")]).end.withheld).toBe(false);
  });

  test("[TP71] nothing more is forwarded, and nothing is recalled", () => {
    expect(guard(["Sure. ", `<invoke>${call}</invoke>`, "more"])).toEqual({
      pushes: ["Sure. ", "", ""],
      end: withheld,
    });
  });

  test("[TP72] a bare call of an offered tool, with no arguments too", () => {
    expect(guard(['{"name":"LAMP"', "}"])).toEqual({ pushes: ["", ""], end: withheld });
  });

  test("[TP24][TP1] text too long to be parsed is let out whole", () => {
    const filler = "x".repeat(MOST_PARSED_CHARS);
    expect(guard(["<tool_call>", filler, "y"])).toEqual({
      pushes: ["", `<tool_call>${filler}`, "y"],
      end: released(""),
    });
  });
});

describe("text not shown yet", () => {
  test.each([
    ["Hello there", "Hello", " there"],
    ["Hello", "\n Hello", ""],
    ["Hello there", " Hello", " there"],
    ["Hello", "Hello \n", ""],
    ["Hello", "Other", "Hello"],
    ["Hello", "", "Hello"],
    ["", "Hello", ""],
  ])("[TP73][PV8] of %j after %j: %j", (display, streamed, rest) => {
    expect(unshownText(display, streamed)).toBe(rest);
  });
});
