/** What bounds a provider call whatever the provider does: silence, size, the number of calls; and what is known of its cost. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import type { CancelSignal } from "../../../src/contracts/ports.ts";
import { createResponseLimits } from "../../../src/core/turn/response-limits.ts";
import { type CoreConversation, openConversation, resultsOf, runOnce } from "../../support/core-fixture.ts";
import { callOf, calls, fault, finish, says, text } from "../../support/scripted-provider.ts";

const MIB4 = 4 * 1024 * 1024;
const sum = { name: "calculator", args: { expression: "1+1" } };
const faultsOf = ({ log }: CoreConversation) => log.filter(({ code }) => code === "provider_fault");

describe("silence", () => {
  const patient = { runtime: { no_progress_secs: 300 } };

  /** Gives its parts, each 200 seconds after the one before, then nothing until it is stopped. */
  const pausing = (conversation: () => CoreConversation, parts: readonly ModelEvent[]) =>
    async function* (_request: unknown, signal: CancelSignal): AsyncGenerator<ModelEvent> {
      for (const part of parts) {
        conversation().clock.advance(200_000);
        yield part;
      }
      if (parts.at(-1)?.type === "finish") return;
      setImmediate(() => {
        conversation().clock.advance(299_000);
        conversation().clock.advance(1000);
      });
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    };

  test.each([
    ["from the start", []],
    ["behind a text", [text("I was")]],
    ["behind reasoning", [{ type: "reasoning", text: "Hm" } as const]],
  ])("[PV13] %s: a timeout, not asked again", async (_when, parts) => {
    for (const streaming of [true, false]) {
      const conversation: CoreConversation = openConversation({ ...patient, capabilities: { streaming } });
      const turn = await conversation.run([pausing(() => conversation, parts)]);
      expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_timeout" });
      expect(conversation.provider.requests).toHaveLength(1);
      expect(faultsOf(conversation)).toMatchObject([
        { fields: { kind: "timeout", message: "the provider gave nothing for 300 seconds" } },
      ]);
    }
  });

  test("[PV13] a call that gives something in time may take as long as it likes", async () => {
    const conversation: CoreConversation = openConversation(patient);
    const parts = [text("a"), { type: "reasoning", text: "b" } as const, text("c"), text("d"), finish()];
    const turn = await conversation.run([pausing(() => conversation, parts)]);
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "acd" });
  });

  test("[PV13] the closing summary, too", async () => {
    const runtime = { no_progress_secs: 300, max_tool_iterations: 1 };
    const conversation: CoreConversation = openConversation({ runtime });
    const turn = await conversation.run([calls(sum), pausing(() => conversation, [])]);
    expect(turn.summary).toMatchObject({ outcome: "capped", text: "", usage: { exact: false } });
  });
});

describe("size", () => {
  const half = "x".repeat(MIB4 / 2);
  const heavyCall = callOf({ name: "calculator", argumentsText: JSON.stringify({ expression: half }) });

  test.each<[string, readonly ModelEvent[]]>([
    ["text", [text(half), text(half), text("!")]],
    ["reasoning", [{ type: "reasoning", text: half }, { type: "reasoning", text: half }, text("!")]],
    ["argument text", [heavyCall, heavyCall]],
    ["metadata", [heavyCall, { type: "call", name: "f", argumentsText: "", providerMetadata: { half } }]],
  ])("[SE59] over 4 MiB of %s the response is cut", async (_what, parts) => {
    const conversation = openConversation({ capabilities: { streaming: false } });
    const turn = await conversation.run([[...parts, finish()]]);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error", usage: { exact: false } });
    expect(faultsOf(conversation)).toMatchObject([
      { fields: { kind: "cut", message: "the response is larger than 4 MiB" } },
    ]);
  });

  test("[SE59] a provider that goes on and on is left, also for a closing summary", async () => {
    let left = 0;
    async function* talking(): AsyncGenerator<ModelEvent> {
      try {
        for (let n = 0; n < 20; n++) yield text(half);
        yield finish();
      } finally {
        left += 1;
      }
    }
    const turn = await runOnce([calls(sum), talking], { runtime: { max_tool_iterations: 1 } });
    expect([turn.summary.outcome, turn.summary.text, left]).toEqual(["capped", "", 1]);
  });

  test("[SE59] exactly 4 MiB are taken", async () => {
    const turn = await runOnce([says(half, half)], { capabilities: { streaming: false } });
    expect([turn.summary.outcome, turn.summary.text.length]).toEqual(["completed", MIB4]);
  });

  test("[SE59] of 1,001 calls the last does not exist, and costs no size", () => {
    const limits = createResponseLimits();
    const call = { type: "call", name: "f", argumentsText: "{}" } as const;
    for (let n = 0; n < 1000; n++) expect(limits.admit(call)).toEqual({ kind: "part", part: call });
    const late = { ...call, argumentsText: "x".repeat(MIB4 + 1) };
    expect(limits.admit(late)).toEqual({ kind: "part", part: undefined });
    expect(limits.admit({ type: "text", text: "ok" })).toMatchObject({ kind: "part", part: { text: "ok" } });
  });

  test("[SE59] names and ids are cut at 256, and stay well-formed", () => {
    const long = `${"x".repeat(255)}😀 and more`;
    const call = { type: "call", name: long, id: long, argumentsText: "{}" } as const;
    const short = `${"x".repeat(255)}\ufffd`;
    expect(createResponseLimits().admit(call)).toEqual({ kind: "part", part: { ...call, name: short, id: short } });
    const fits = { ...call, name: "x".repeat(256), id: "x".repeat(256) };
    expect(createResponseLimits().admit(fits)).toEqual({ kind: "part", part: fits });
  });

  test("[SE59] a call with such a name is answered like any unknown one", async () => {
    const turn = await runOnce([calls({ name: "x".repeat(100_000) }), says("ok")]);
    expect(turn.summary.text).toBe("ok");
    expect(resultsOf(turn).map(({ length }) => length < 2000)).toEqual([true]);
  });
});

describe("what it cost", () => {
  test.each<[string, readonly ModelEvent[]]>([
    ["that broke off and was asked again", [fault("cut")]],
    ["that ended without a finish", []],
  ])("[PV15] an attempt %s leaves the sum inexact", async (_what, first) => {
    const turn = await runOnce([first, says("fine")]);
    expect(turn.summary).toMatchObject({ outcome: "completed", usage: { inputTokens: 100, exact: false } });
  });

  test("[PV15] so does one that was cancelled", async () => {
    const cancel = new AbortController();
    async function* stopped(_request: unknown, signal: CancelSignal): AsyncGenerator<ModelEvent> {
      yield text("So");
      setImmediate(() => cancel.abort());
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    }
    const turn = await runOnce([stopped], { cancel: cancel.signal });
    expect(turn.summary).toMatchObject({ outcome: "cancelled", usage: { exact: false } });
  });

  test.each(["egress", "not_configured"] as const)("[PV15] what was never sent cost nothing: %s", async (kind) => {
    const turn = await runOnce([[fault(kind)]]);
    expect(turn.summary.usage).toMatchObject({ inputTokens: 0, exact: true });
  });

  test("[PV15] a response that was rejected but said its usage is known", async () => {
    const turn = await runOnce([[finish()], says("fine")]);
    expect(turn.summary.usage).toMatchObject({ inputTokens: 200, exact: true });
  });
});
