/** Calls written as text: a model without native tools is told of them in words, answered in words, and never shows protocol. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelMessage } from "../../../src/contracts/model.ts";
import { dispositionsOf, eventsOf, type RanTurn, runOnce } from "../../support/core-fixture.ts";
import { calls, finish, says, text } from "../../support/scripted-provider.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const textOnly = { capabilities: { nativeTools: false } } as const;
const block = (name: string, args: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const sum = block("calculator", { expression: "6*7" });
const zone = block("current_time", { timezone: "UTC" });
const shownOf = (turn: RanTurn): string =>
  eventsOf(turn, "text_delta")
    .map((event) => event.text)
    .join("");
const wordsOf = (message: ModelMessage | undefined): string =>
  message?.role === "user" ? message.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";

describe("a text-only model", () => {
  test("[TS20][TP76][TP77][HI4] is told of its tools in the system text, and of a batch's results in one user message", async () => {
    const turn = await runOnce([says(`On it.\n${sum}\n${zone}`), says("It is 42.")], textOnly);
    const [first, second] = turn.conversation.provider.requests;
    expect(first?.tools).toEqual([]);
    expect(first?.system).toContain("- calculator: ");
    expect(second?.system).toBe(first?.system);
    expect(dispositionsOf(turn)).toEqual(["succeeded", "succeeded"]);
    const [, said, results] = second?.messages ?? [];
    expect(said).toMatchObject({ role: "assistant", text: `On it.\n${sum}\n${zone}`, calls: [] });
    expect(wordsOf(results)).toMatch(
      /^\[Tool results\]\n<tool_result name="calculator" call="call_trn_1_1" status="ok">\n42\n/,
    );
    expect(wordsOf(results).match(/<tool_result /g)).toHaveLength(2);
    expect(wordsOf(results)).toMatch(/\[receipt: zc-receipt-[^\]]+\]\n<\/tool_result>/);
    expect(turn.summary.text).toBe("It is 42.");
  });

  test("[PV5][PV6][PV8][PA18] cut at every byte: words once, no protocol, the call runs", async () => {
    const whole = `Let me see.\n${sum}`;
    for (let cut = 1; cut < whole.length; cut += 1) {
      const turn = await runOnce([says(whole.slice(0, cut), whole.slice(cut)), says("42")], textOnly);
      const shown = shownOf(turn);
      expect(shown.endsWith("42")).toBe(true);
      expect("Let me see.".startsWith(shown.slice(0, -2).trim())).toBe(true);
      expect(dispositionsOf(turn)).toEqual(["succeeded"]);
    }
  });

  test("[PA12][PA11] names that nobody offered and examples do not run", async () => {
    const turn = await runOnce([says(`For example:\n\`\`\`xml\n${sum}\n\`\`\``)], textOnly);
    expect(dispositionsOf(turn)).toEqual([]);
    expect(turn.summary.outcome).toBe("completed");
  });

  test("[PV9][TP4] what it thinks is neither shown nor kept nor run", async () => {
    const turn = await runOnce([says("<thi", `nk>${sum}</think>Hi<eo`, "m>")], textOnly);
    expect([shownOf(turn), turn.summary.text, dispositionsOf(turn)]).toEqual(["Hi", "Hi", []]);
  });

  test("[TP74] strict parsing tells it of no tool and runs nothing that it writes", async () => {
    const turn = await runOnce([says(sum)], { ...textOnly, runtime: { strict_tool_parsing: true } });
    expect(turn.conversation.provider.requests[0]?.system).not.toContain("calculator");
    expect(dispositionsOf(turn)).toEqual([]);
    expect(turn.summary.outcome).toBe("completed");
  });
});

describe("a model with native tools", () => {
  test("[PA5][PA16][HI4] a call in its text becomes a native call with a minted id, and its result a tool message", async () => {
    const turn = await runOnce([says(`Well.\n${sum}`), says("42")]);
    const [, said, results] = turn.conversation.provider.requests[1]?.messages ?? [];
    expect(said).toMatchObject({ role: "assistant", calls: [{ wireId: "call_trn_1_1", name: "calculator" }] });
    expect(said?.role === "assistant" && said.text).not.toContain("tool_call");
    expect(results).toMatchObject({ role: "tool", results: [{ wireId: "call_trn_1_1", success: true }] });
    expect(eventsOf(turn, "tool_call")[0]?.origin).toBe("text");
  });

  test("[PA2] beside native calls the text is not searched", async () => {
    const native = { name: "current_time", args: {} };
    const turn = await runOnce([[text(sum), ...calls(native)], says("ok")]);
    expect(eventsOf(turn, "tool_call").map(({ tool }) => tool)).toEqual(["current_time"]);
  });
});

describe("a text call that says nothing", () => {
  const dropped = async (response: string) => {
    const { conversation } = await runOnce([says(response), says("ok")], textOnly);
    return conversation.log.filter(({ code }) => code === "text_call_dropped");
  };
  const warning = (chars: number) => ({
    level: "warn",
    code: "text_call_dropped",
    fields: { turn: "trn_1", chars },
  });

  test("[TP28] is logged with its length alone, beside a call or without one", async () => {
    expect(await dropped("<tool_call>secret words</tool_call> Done.")).toEqual([warning(12)]);
    expect(await dropped(`<tool_call>secret words</tool_call>\n${sum}`)).toEqual([warning(12)]);
    expect(await dropped(sum)).toEqual([]);
  });

  test("[TP38] so is a fence named after a tool, whether or not another gave a call", async () => {
    const empty = "```tool calculator\nsecret\n```";
    expect(await dropped(empty)).toEqual([warning(7)]);
    expect(await dropped(`${empty}\n\`\`\`tool calculator\n{"expression":"6*7"}\n\`\`\``)).toEqual([warning(7)]);
  });
});

describe("protocol that cannot be read", () => {
  const broken = '<tool_call>\n{"name": "calculator", "arguments": {"expression": \n</tool_call>';

  test("[LC8][PA13][LC9][TP56] is neither shown nor stored, twice answered with a note, the third time with an apology", async () => {
    const turn = await runOnce([says(broken), says(broken), says(broken)], textOnly);
    expect([turn.summary.outcome, turn.summary.reason]).toEqual(["stopped", "malformed_protocol"]);
    expect(shownOf(turn)).not.toContain("tool_call");
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "note", "note", "assistant"]);
    expect(turn.summary.usage.inputTokens).toBe(300);
    expect(eventsOf(turn, "usage")).toEqual([]);
  });

  test("[TP56] the note says first what it is about, then how to go on", async () => {
    const turn = await runOnce([says(broken), says("42")], textOnly);
    const note = turn.history.find(({ kind }) => kind === "note");
    expect(note).toMatchObject({
      text: expect.stringMatching(/^\[Tool call parse error\] .*call tools.*plain words/i),
    });
    const told = turn.conversation.provider.requests[1]?.messages.at(-1);
    const last = { text: expect.stringContaining("[Tool call parse error]") };
    expect(told).toMatchObject({ role: "user", parts: [{ text: "hello" }, last] });
  });

  test("[LC2][LC9] a good one between two broken ones goes on, and each took an iteration", async () => {
    const turn = await runOnce([says(broken), says(sum), says(broken), says("42")], textOnly);
    expect([turn.summary.outcome, turn.summary.iterations]).toEqual(["completed", 4]);
  });
});

test(
  "[PV5][PA18] whatever surrounds a call and however it is cut, no reader sees its protocol",
  { timeout: 120_000 },
  async () => {
    const prose = fc.stringMatching(/^[A-Za-z ,.]{0,40}$/);
    await fc.assert(
      fc.asyncProperty(prose, prose, fc.array(fc.nat(200), { maxLength: 6 }), async (before, after, cuts) => {
        const whole = `${before}\n${sum}\n${after}`;
        const places = [...new Set(cuts.map((cut) => cut % whole.length))].toSorted((one, other) => one - other);
        const chunks = [...places, whole.length].map((end, at) => whole.slice(places[at - 1] ?? 0, end));
        const turn = await runOnce([[...chunks.map(text), finish()], says("done")], textOnly);
        expect(shownOf(turn)).not.toMatch(/tool_call|"arguments"/);
        expect(dispositionsOf(turn)).toEqual(["succeeded"]);
      }),
      { numRuns: propertyRuns(300) },
    );
  },
);
