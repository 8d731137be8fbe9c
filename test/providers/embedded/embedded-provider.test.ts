/** The embedded provider as a model: whole turns, its words, its honesty, the order of its events. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelEvent, ModelMessage, ModelRequest } from "../../../src/contracts/model.ts";
import { createEmbeddedProvider } from "../../../src/providers/embedded/embedded-provider.ts";
import { callsOf, collect, requestOf, settingsOf, textOf, toolOf, userSays } from "../support/provider-fixtures.ts";

const text = { type: "string" };
const calculator = toolOf("calculator", { expression: text }, ["expression"]);
const currentTime = toolOf("current_time", { timezone: text });
const toolSearch = toolOf("tool_search", { query: text }, ["query"]);
const mail = toolOf("mail__send", { body: text }, ["body"]);
const tools = [calculator, currentTime];

const provider = createEmbeddedProvider({ name: "embedded", settings: settingsOf({ kind: "embedded" }) });

/** Answers the calls of a round as the runtime would write them into the next request. */
function answer(events: readonly ModelEvent[], results: readonly (string | Error)[]): ModelMessage[] {
  const calls = events.flatMap((event) => (event.type === "call" ? [event] : []));
  return [
    {
      role: "assistant",
      text: "",
      calls: calls.map(({ id = "", name, argumentsText }) => ({ wireId: id, name, argumentsText })),
    },
    {
      role: "tool",
      results: calls.map(({ id = "", name }, place) => {
        const result = results[place] ?? "";
        const failed = result instanceof Error;
        return { wireId: id, name, text: failed ? result.message : result, success: !failed };
      }),
    },
  ];
}

const receipt = `\n\n[receipt: zc-receipt-1796083200-${"A".repeat(43)}]`;

/** Runs rounds until the provider answers; `results` has one list per round. */
async function converse(message: string, results: readonly (readonly (string | Error)[])[], offered = tools) {
  const messages = [userSays(message)];
  const rounds: [string, string][][] = [];
  for (const round of results) {
    const events = await collect(provider, requestOf({ messages, tools: offered }));
    rounds.push(callsOf(events));
    messages.push(...answer(events, round));
  }
  const last = await collect(provider, requestOf({ messages, tools: offered }));
  return { rounds, last: textOf(last), lastCalls: callsOf(last), messages };
}

describe("a turn", () => {
  test("two tools in one response, then one answer from both results", async () => {
    const turn = await converse("what is 12*(3+4), and what time is it in Madrid?", [
      [`84${receipt}`, `2026-12-01T13:05:09+01:00 Tuesday Europe/Madrid${receipt}`],
    ]);
    expect(turn.rounds).toEqual([
      [
        ["calculator", '{"expression":"12*(3+4)"}'],
        ["current_time", '{"timezone":"Europe/Madrid"}'],
      ],
    ]);
    expect(turn.lastCalls).toEqual([]);
    expect(turn.last).toBe("12*(3+4) is 84. In Madrid it is 13:05 on Tuesday, 1 December 2026 (UTC+01:00).");
  });

  test("the same in Spanish, with the user's name of the place", async () => {
    const turn = await converse("¿Cuánto es 6*7 y qué hora es en Barcelona?", [
      ["42", "2026-12-01T13:05:09+01:00 Tuesday Europe/Madrid"],
    ]);
    expect(turn.last).toBe("6*7 es 42. En Barcelona son las 13:05 del martes 1 de diciembre de 2026 (UTC+01:00).");
  });

  test("what comes after a then waits for the results before it", async () => {
    const turn = await converse("what is 1+1, then 2+2, then the current time?", [
      ["2"],
      ["4"],
      ["2026-12-01T12:05:09+00:00 Tuesday UTC"],
    ]);
    expect(turn.rounds.map((round) => round.map(([name]) => name))).toEqual([
      ["calculator"],
      ["calculator"],
      ["current_time"],
    ]);
    expect(turn.last).toBe("1+1 is 2. 2+2 is 4. In UTC it is 12:05 on Tuesday, 1 December 2026 (UTC).");
  });

  test("a tool that failed is reported as such and not called again", async () => {
    const turn = await converse("what is 1/0", [[new Error("the result is not finite")]]);
    expect(turn.lastCalls).toEqual([]);
    expect(turn.last).toBe("I have no answer from calculator: the result is not finite.");
  });

  test("a tool found by search is called once it is offered", async () => {
    const message = 'use mail__send with "hi"';
    const first = await collect(provider, requestOf({ messages: [userSays(message)], tools: [toolSearch] }));
    expect(callsOf(first)).toEqual([["tool_search", '{"query":"mail__send"}']]);
    const messages = [userSays(message), ...answer(first, ["<functions></functions>"])];
    const second = await collect(provider, requestOf({ messages, tools: [toolSearch, mail] }));
    expect(callsOf(second)).toEqual([["mail__send", '{"body":"hi"}']]);
  });

  test("[BD10] a result is quoted whole, without the receipt line behind it", async () => {
    const turn = await converse('use mail__send with "hi"', [[`line one\nline two${receipt}`]], [mail]);
    expect(turn.last).toBe("mail__send returned:\nline one\nline two");
  });

  test("[BD10] a result whose first and last lines share a word is quoted whole", async () => {
    const result = "commit_0123456789abcdef\n3 files changed\nparent of commit_0123456789abcdef";
    const turn = await converse('use mail__send with "hi"', [[result]], [mail]);
    expect(turn.last).toBe(`mail__send returned:\n${result}`);
  });

  test("with no tools left it answers from the results there are", async () => {
    const { messages } = await converse("what is 1+1, then 2+2?", [["2"]]);
    const closing = [...messages, userSays("You have used every step. Give your best answer.")];
    const events = await collect(provider, requestOf({ messages: closing, stream: false }));
    expect(callsOf(events)).toEqual([]);
    expect(textOf(events)).toBe("1+1 is 2.");
  });

  test("a note in another language does not change the language of the answer", async () => {
    const { messages } = await converse("¿cuánto es 1+1?", [["2"]]);
    const closing = [...messages, userSays("You have used every step. Give your best answer.")];
    expect(textOf(await collect(provider, requestOf({ messages: closing })))).toBe("1+1 es 2.");
  });

  test("with nothing to call it says what it is and what it has", async () => {
    expect((await converse("hello there", [])).last).toMatch(
      /embedded planner, not a language model.*: calculator, current_time\.$/,
    );
    expect((await converse("hola, ¿qué tal?", [])).last).toMatch(
      /no un modelo de lenguaje.*: calculator, current_time\.$/,
    );
  });

  test("earlier turns are over: an answered question is not taken up again", async () => {
    const { messages } = await converse("what is 1+1?", [["2"]]);
    const next = [
      ...messages,
      { role: "assistant" as const, text: "1+1 is 2.", calls: [] },
      userSays("thanks, and 1+1?"),
    ];
    expect(callsOf(await collect(provider, requestOf({ messages: next, tools })))).toEqual([
      ["calculator", '{"expression":"1+1"}'],
    ]);
    const unanswered = [userSays("what is 5+5?"), userSays("hello")];
    expect(callsOf(await collect(provider, requestOf({ messages: unanswered, tools })))).toEqual([]);
  });

  test("a remark behind a round does not make it forget the question", async () => {
    const { messages } = await converse("what is 1+1, then 2+2?", [["2"]]);
    const remark = [...messages, userSays("Try something else if this does not work.")];
    expect(callsOf(await collect(provider, requestOf({ messages: remark, tools })))).toEqual([
      ["calculator", '{"expression":"2+2"}'],
    ]);
  });

  test("call ids are new in the history", async () => {
    const { messages } = await converse("what is 1+1, then 2+2?", [["2"], ["4"]]);
    const ids = messages
      .flatMap((message) => (message.role === "assistant" ? message.calls : []))
      .map(({ wireId }) => wireId);
    expect(ids).toEqual(["embedded_1", "embedded_2"]);
  });
});

describe("the contract", () => {
  test("words come one by one, or all at once when not streamed", async () => {
    const streamed = await collect(provider, requestOf({}));
    const whole = await collect(provider, requestOf({ stream: false }));
    expect(streamed.filter(({ type }) => type === "text").length).toBeGreaterThan(10);
    expect(whole.filter(({ type }) => type === "text")).toHaveLength(1);
    expect(textOf(streamed)).toBe(textOf(whole));
  });

  test("tokens are four bytes each", async () => {
    const events = await collect(provider, requestOf({ stream: false }));
    const finish = events.at(-1);
    const bytes = Buffer.byteLength(textOf(events));
    expect(finish).toMatchObject({
      type: "finish",
      reason: "stop",
      usage: { outputTokens: Math.ceil(bytes / 4), exact: true },
    });
  });

  test("[PV14] a cancelled call stops between two words", async () => {
    const cancel = new AbortController();
    const seen: ModelEvent[] = [];
    for await (const event of provider.stream(requestOf({}), cancel.signal)) {
      seen.push(event);
      if (seen.length === 3) cancel.abort();
    }
    expect(seen.map(({ type }) => type)).toEqual(["text", "text", "text"]);
  });

  test("the same request gives the same events, exactly one end, and only offered tools", async () => {
    const anyTool = fc.constantFrom(calculator, currentTime, toolSearch, mail);
    const anyText = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("what is 1+1, then use mail__send", "hora en Lima", "call tool_search"),
    );
    const anyMessage = fc.oneof(
      anyText.map(userSays),
      anyText.map((said): ModelMessage => ({ role: "assistant", text: said, calls: [] })),
      fc
        .record({ name: anyText, result: anyText, success: fc.boolean() })
        .map(({ name, result, success }): ModelMessage => ({
          role: "tool",
          results: [{ wireId: "x", name, text: result, success }],
        })),
      fc.record({ name: anyText, args: anyText }).map(({ name, args }): ModelMessage => ({
        role: "assistant",
        text: "",
        calls: [{ wireId: "x", name, argumentsText: args }],
      })),
    );
    const anyRequest: fc.Arbitrary<ModelRequest> = fc
      .record({ messages: fc.array(anyMessage), tools: fc.uniqueArray(anyTool), stream: fc.boolean() })
      .map(requestOf);
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const events = await collect(provider, request);
        expect(
          await collect(
            createEmbeddedProvider({ name: "embedded", settings: settingsOf({ kind: "embedded" }) }),
            request,
          ),
        ).toEqual(events);
        expect(events.filter(({ type }) => type === "finish")).toEqual([events.at(-1)]);
        const offered = request.tools.map(({ name }) => name);
        expect(callsOf(events).filter(([name]) => !offered.includes(name))).toEqual([]);
      }),
    );
  });

  test("a long hostile message is read in bounded depth", async () => {
    for (const message of [
      "(".repeat(50_000),
      "-".repeat(50_000),
      "{".repeat(50_000),
      "1+".repeat(50_000),
      "then ".repeat(20_000),
    ]) {
      const events = await collect(provider, requestOf({ messages: [userSays(message)], tools }));
      expect(events.at(-1)?.type).toBe("finish");
    }
  });
});
