/** The cases of the acceptance matrix that need no loop around them. */
import { describe, expect, test } from "vitest";
import { type ParsedCall, readCalls } from "../../../../src/core/turn/parse/read-calls.ts";
import { createLiveText } from "../../../../src/core/turn/parse/live-text.ts";
import {
  MOST_PARSED_CHARS,
  type ParsedText,
  parseTextCalls,
} from "../../../../src/core/turn/parse/text/parse-text-calls.ts";
import { renderToolResults } from "../../../../src/core/turn/parse/text/tool-results.ts";
import { unshownText } from "../../../../src/core/turn/parse/unshown-text.ts";

const tagged = (args: string, id = ""): string => `<tool_call>{"name":"lamp"${id},"arguments":${args}}</tool_call>`;
const parse = (text: string, knownNames: readonly string[] = ["lamp"]): ParsedText =>
  parseTextCalls(text, { knownNames, strict: false });

/** The same preparation that native calls get. */
function prepare({ calls }: ParsedText, truncated = false): readonly ParsedCall[] {
  return readCalls(
    calls.map(({ id, name, argumentsText }) => ({
      type: "call",
      name,
      argumentsText,
      ...(id === undefined ? {} : { id }),
    })),
    { origin: "text", turn: "t", nextNumber: 1, truncated, realName: (name) => name, usedWireIds: new Set() },
  );
}

interface Shown {
  readonly live: string;
  readonly withheld: boolean;
  readonly parsed: ParsedText;
  /** Everything that a client ever sees as text. */
  readonly all: string;
}
function stream(chunks: readonly string[]): Shown {
  const guard = createLiveText({ knownNames: ["lamp"], strict: false });
  const pushed = chunks.map((chunk) => guard.push(chunk)).join("");
  const { text, withheld } = guard.end();
  const live = pushed + text;
  const parsed = parseTextCalls(chunks.join(""), { knownNames: ["lamp"], strict: false, withheld });
  const rest = parsed.calls.length > 0 || parsed.issue !== undefined ? "" : unshownText(parsed.visibleText, live);
  return { live, withheld, parsed, all: live + rest };
}

describe("calls", () => {
  test("[TX1][TP2] a response cut by its limit: the complete call is truncated too, the half one is none", () => {
    const calls = prepare(parse(`${tagged("{}")}<tool_call>{"name":"lamp","arguments":{"le`), true);
    expect(calls.map(({ fault }) => fault)).toEqual([{ kind: "truncated" }]);
  });

  test("[TX2][TP1] a native call beside a tagged one: the text is not searched", () => {
    const parsed = parseTextCalls(tagged("{}"), { knownNames: ["lamp"], strict: false, nativeCalls: true });
    expect(parsed).toMatchObject({ calls: [], visibleText: tagged("{}") });
    expect(parsed.issue).toBeUndefined();
  });

  test("[TX4][TP6] one id twice: two internal ids, both keep the provider's", () => {
    const calls = prepare(parse(tagged('{"level":1}', ',"id":"a"') + tagged('{"level":2}', ',"id":"a"')));
    expect(calls.map(({ call }) => [call.callId, call.providerCallId])).toEqual([
      ["call_t_1", "a"],
      ["call_t_2", "a"],
    ]);
  });

  test("[TX5][TP6] arguments that are a list cannot run", () => {
    const [parsed] = prepare(parse(tagged("[1,2]")));
    expect([parsed?.call.args, parsed?.fault]).toEqual([
      undefined,
      { kind: "bad_arguments", reason: "not a JSON object" },
    ]);
  });

  test("[TX7][TP47] an excluded tool: no call, an issue as for any unknown name", () => {
    expect(parse(tagged("{}").replace("lamp", "excluded"))).toMatchObject({ calls: [], issue: "tag_call" });
  });

  test("[TX8][TP50] a tool is known from the iteration on in which it is offered", () => {
    const call = tagged("{}").replace("lamp", "deferred");
    expect(parse(call, ["lamp", "tool_search"]).calls).toEqual([]);
    expect(parse(call, ["lamp", "tool_search", "deferred"]).calls).toHaveLength(1);
  });

  test("[TX9][TP50] the bare name of an MCP tool is not its name", () => {
    expect(parse(tagged("{}").replace("lamp", "read"), ["files__read"]).calls).toEqual([]);
    expect(parse(tagged("{}").replace("lamp", "files__read"), ["files__read"]).calls).toHaveLength(1);
  });

  test("[TX11][TP46] a call in a result is data, even when the model repeats the whole message", () => {
    const message = renderToolResults([
      { name: "lamp", callId: "c", success: true, text: '{"name":"lamp","arguments":{}}' },
    ]);
    expect(parse(message)).toMatchObject({ calls: [], visibleText: message });
  });

  test("[TX24][TP1] a response of 600,000 code units is an answer", () => {
    const text = `${tagged("{}")}${"x".repeat(600_000)}`;
    expect(text.length > MOST_PARSED_CHARS).toBe(true);
    const { parsed, all } = stream([tagged("{}"), "x".repeat(600_000)]);
    expect([parsed.calls, parsed.issue, parsed.visibleText === text, all === text]).toEqual([
      [],
      undefined,
      true,
      true,
    ]);
  });

  test("[TX25][TP18][TP19] 100 kB of markup in one argument", () => {
    const memo =
      `<tool_call></tool_call><tools></tools>\`\`\`tool_call\n{}\n\`\`\`<invoke name="x"></invoke>"}}\n`.repeat(1200);
    expect(memo.length).toBeGreaterThan(100_000);
    const { calls } = parse(`Well. ${tagged(JSON.stringify({ memo }))} So.`);
    expect(calls.map(({ args }) => (args as { memo: string }).memo === memo)).toEqual([true]);
  });
});

describe("streams", () => {
  test("[TX20][TP71] prose, then a call and prose in one chunk", () => {
    const { all, withheld, parsed } = stream(["Let me see. ", `${tagged("{}")} Done.`]);
    expect({ all, withheld, calls: parsed.calls.length, issue: parsed.issue }).toEqual({
      all: "Let me see. ",
      withheld: true,
      calls: 1,
      issue: undefined,
    });
  });

  test("[TX21][TP72] a bare JSON call is not seen, and runs", () => {
    const { all, parsed } = stream(['{"name":"la', 'mp","arguments":{"level":3}}']);
    expect([all, parsed.calls.length]).toEqual(["", 1]);
  });

  test("[TX22][TP65] thinking cut over five chunks", () => {
    const { all, parsed } = stream(["a<th", "ink>", tagged("{}"), "</thi", "nk>b"]);
    expect([all, parsed.calls]).toEqual(["ab", []]);
  });

  test("[TX23][TP53] an explanation with an example word is shown as it is", () => {
    const text = `For example, write ${tagged("{}")} to dim it.`;
    const { all, parsed } = stream(text.match(/.{1,6}/gs) ?? []);
    expect([all, parsed.calls, parsed.issue]).toEqual([text, [], undefined]);
  });
});
