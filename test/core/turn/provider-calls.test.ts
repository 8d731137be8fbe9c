/** Provider calls: what is asked for, what is shown, what is tried again, what is kept when it breaks off. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import type { CancelSignal } from "../../../src/contracts/ports.ts";
import {
  type CoreConversation,
  eventsOf,
  openConversation,
  type RanTurn,
  runOnce,
} from "../../support/core-fixture.ts";
import { calls, callOf, fault, finish, says, text } from "../../support/scripted-provider.ts";

const shownOf = (turn: RanTurn): readonly string[] => eventsOf(turn, "text_delta").map((event) => event.text);
const sum = { name: "calculator", args: { expression: "1+1" } };

/** Yields what it is given, then waits until it is stopped, as a provider must when its signal fires. */
const hanging = (events: readonly ModelEvent[], then: () => void) =>
  async function* (_request: unknown, signal: CancelSignal): AsyncGenerator<ModelEvent> {
    yield* events;
    setImmediate(then);
    await new Promise<void>((resolve) => signal.addEventListener("abort", resolve));
  };

describe("what is asked for", () => {
  test.each([
    ["all it can do", {}, true, true],
    ["no streaming", { streaming: false }, false, true],
    ["no streamed tool calls", { streamingTools: false }, false, true],
    ["no native tools", { nativeTools: false }, true, false],
  ])("[PV4][TS20] of a provider with %s", async (...[_what, capabilities, stream, offered]) => {
    const { conversation } = await runOnce([says("ok")], { capabilities });
    const [request] = conversation.provider.requests;
    expect([request?.stream, request?.tools.length !== 0]).toEqual([stream, offered]);
  });

  test("[TS1][TS2][TS23] the same tools in registry order in every iteration, the system text unchanged", async () => {
    const agent = { system_prompt: "Be brief.", builtin_tools: ["calculator", "current_time"] };
    const { conversation } = await runOnce([calls(sum), calls(sum), says("ok")], { agent });
    const [first, ...others] = conversation.provider.requests;
    expect(first?.tools.map(({ tool }) => tool)).toEqual(["current_time", "calculator"]);
    expect(first?.system).toMatch(/^Be brief\./);
    for (const other of others) expect([other.tools, other.system]).toEqual([first?.tools, first?.system]);
    expect(others).toHaveLength(2);
  });

  test("[TS20][RX5] a run's list that is empty admits nothing, and the request has no tools", async () => {
    const { conversation } = await runOnce([says("ok")], { narrowing: { allowedTools: [] } });
    expect(conversation.provider.requests[0]?.tools).toEqual([]);
  });
});

describe("what is shown", () => {
  test("[PV8] narration beside a call, each piece once and in order", async () => {
    const turn = await runOnce([
      [text("Let me "), text("see. "), callOf(sum), text("Hm."), finish()],
      says("It ", "is 2."),
    ]);
    expect(shownOf(turn).join("|").replaceAll("|", "")).toBe("Let me see. Hm.It is 2.");
    expect(turn.summary.text).toBe("It is 2.");
    expect(turn.history.flatMap((entry) => (entry.kind === "assistant" ? [entry.text] : []))).toEqual([
      "Let me see. Hm.",
      "It is 2.",
    ]);
  });

  test("[PV8] a plain answer is shown once, when it is accepted", async () => {
    const turn = await runOnce([says("It ", "is ", "2.")], { capabilities: { streaming: false } });
    expect(shownOf(turn)).toEqual(["It is 2."]);
  });

  test("[DU47] pieces within the interval are one row; the first goes out at once", async () => {
    const conversation: CoreConversation = openConversation();
    async function* words(): AsyncGenerator<ModelEvent> {
      for (const word of ["a", "b", "c"]) yield text(word);
      conversation.clock.advance(50);
      yield text("d");
      yield text("e".repeat(2000));
      yield finish();
    }
    const turn = await conversation.run([words]);
    expect(shownOf(turn)).toEqual(["a", "bc", `d${"e".repeat(2000)}`]);
  });

  test("[RX11] a pair that two chunks share stays whole, a half without the other is replaced", async () => {
    const turn = await runOnce([says("a\ud83d", "\ude00b\ud83d")]);
    expect([shownOf(turn).join(""), turn.summary.text]).toEqual(["a😀b\ufffd", "a😀b\ufffd"]);
  });
});

describe("what is tried again", () => {
  test.each(["cut", "unreachable", "refused"] as const)(
    "[PV10] %s before anything was shown: once more, plain",
    async (kind) => {
      const turn = await runOnce([[fault(kind)], says("fine")]);
      expect(turn.conversation.provider.requests.map(({ stream }) => stream)).toEqual([true, false]);
      expect([turn.summary.text, turn.summary.iterations]).toEqual(["fine", 1]);
    },
  );

  test("[PV10] twice is enough", async () => {
    const turn = await runOnce([[fault()], [fault()]]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error", text: "" });
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user"]);
  });

  test.each([
    ["a fault", [text("I was "), text("going to"), fault()]],
    ["an end without a finish", [text("I was "), text("going to")]],
  ])("[PV10][HI10] after something was shown, %s ends the turn, and what was shown stays", async (_what, response) => {
    const conversation = openConversation();
    const turn = await conversation.run([response]);
    expect(conversation.provider.requests).toHaveLength(1);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error", text: "I was going to" });
    expect(shownOf(turn).join("")).toBe("I was going to");
    await conversation.run([says("ok")], { input: "and?" });
    expect(conversation.provider.requests[1]?.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", text: "I was going to" },
      { role: "user", parts: [{ text: expect.stringContaining("cut off") }, { text: "and?" }] },
    ]);
  });

  test.each(["egress", "not_configured"] as const)(
    "[PV10] what would fail again is not tried again: %s",
    async (kind) => {
      const turn = await runOnce([[fault(kind)]]);
      expect(turn.conversation.provider.requests).toHaveLength(1);
      expect(turn.summary.reason).toBe("provider_error");
    },
  );

  test("[LC25] a context overflow has a reason of its own", async () => {
    const turn = await runOnce([[fault("context_overflow")]]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "context_overflow" });
  });

  test("[PV11][PV15] an empty stream, then a good plain answer: one usage event, the tokens of both", async () => {
    const turn = await runOnce([[finish()], says("fine")]);
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "fine", usage: { inputTokens: 200 } });
    expect(eventsOf(turn, "usage")).toHaveLength(1);
  });

  test("[PV11][PV15] twice empty: failed, history as before, both charged, no usage event", async () => {
    const turn = await runOnce([[finish()], [text(" \n"), finish()]]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "empty_response", usage: { inputTokens: 200 } });
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user"]);
    expect(eventsOf(turn, "usage")).toEqual([]);
  });

  test("[PV11] white space is no text: asked again, and nothing is written behind the turn's end", async () => {
    const blank = [text(" "), text("\n"), text("\n"), finish()];
    const conversation = openConversation();
    const turn = await conversation.run([blank, blank]);
    expect(conversation.provider.requests.map(({ stream }) => stream)).toEqual([true, false]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "empty_response", text: "" });
    conversation.clock.advance(1000);
    expect(conversation.sql.all("SELECT max(seq) AS last FROM events")).toEqual([{ last: turn.events.at(-1)?.seq }]);
  });

  test("[LC31] a provider that throws, which none may, leaves no timer that writes behind the turn's end", async () => {
    const conversation = openConversation();
    async function* broken(): AsyncGenerator<ModelEvent> {
      yield text("a");
      yield text("b");
      throw new Error("a bug");
    }
    await expect(conversation.run([broken])).rejects.toThrow("a bug");
    const countOf = () => conversation.sql.all("SELECT count(*) AS n FROM events");
    const before = countOf();
    conversation.clock.advance(1000);
    expect(countOf()).toEqual(before);
  });

  test("[PV16] a retry inside the adapter is announced and counts as the same call", async () => {
    const retry: ModelEvent = { type: "retry", attempt: 1, reason: "HTTP 503" };
    const turn = await runOnce([[retry, ...says("fine")]]);
    expect(eventsOf(turn, "provider_retry")).toMatchObject([{ attempt: 1, reason: "HTTP 503" }]);
    expect([turn.conversation.provider.requests.length, turn.summary.iterations]).toEqual([1, 1]);
  });

  test("[SE72] a provider's own words go to the log, and to no event", async () => {
    const turn = await runOnce([[fault("egress")]]);
    expect(turn.conversation.log).toMatchObject([
      { code: "provider_fault", fields: { message: "as the script says" } },
    ]);
    expect(JSON.stringify(turn.events)).not.toContain("as the script says");
  });
});

describe("time and cancel", () => {
  const slow = { runtime: { pacing: { step_timeout_secs: 5 } } };

  test.each([
    ["before", []],
    ["after", [text("I was")]],
  ])("[PV13] a call over its time %s something was shown is not repeated", async (_when, events) => {
    const conversation: CoreConversation = openConversation(slow);
    const turn = await conversation.run([hanging(events, () => conversation.clock.advance(5000))]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_timeout" });
    expect(conversation.provider.requests).toHaveLength(1);
  });

  test("[PV13] the limit is each call's own", async () => {
    const conversation: CoreConversation = openConversation(slow);
    async function* unhurried(): AsyncGenerator<ModelEvent> {
      conversation.clock.advance(4999);
      yield* calls(sum);
    }
    const turn = await conversation.run([unhurried, unhurried, says("ok")]);
    expect(turn.summary.outcome).toBe("completed");
  });

  test.each([
    ["something shown", [text("So "), text("far")], "So far", ["user", "assistant", "note"]],
    ["nothing shown", [], "", ["user"]],
    ["a call half-way", [callOf(sum)], "", ["user"]],
  ])("[PV14] cancel with %s", async (...[_what, events, shown, kinds]) => {
    const cancel = new AbortController();
    const response = hanging(events, () => cancel.abort());
    const turn = await runOnce([response], { cancel: cancel.signal });
    expect(turn.summary).toMatchObject({ outcome: "cancelled", reason: "cancel", text: shown });
    expect(shownOf(turn).join("")).toBe(shown);
    expect(turn.history.map(({ kind }) => kind)).toEqual(kinds);
    expect(eventsOf(turn, "tool_call")).toEqual([]);
  });
});
