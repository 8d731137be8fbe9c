/** The checkpoint as a value: what is encoded, is restored, and would be encoded again as the same JSON. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AssistantEntry, HistoryEntry } from "../../../src/contracts/message.ts";
import type { TurnJournal } from "../../../src/contracts/ports.ts";
import { encodeCheckpoint, readPinnedKnobs, restoreToolLoop } from "../../../src/core/turn/checkpoint.ts";
import { createFrameGuards, createTurnGuards } from "../../../src/core/turn/guards/guards.ts";
import { type ToolLoop, createToolLoop } from "../../../src/core/turn/turn-context.ts";
import { runOnce } from "../../support/core-fixture.ts";
import { says } from "../../support/scripted-provider.ts";

const { execution } = await runOnce([says("ok")], { runtime: { max_tool_iterations: 7 } });
const identity = { tenant: "t", conversation: "c", turn: "trn_9", channel: "http", subject: "s", interactive: true };
const message: AssistantEntry = { kind: "assistant", turn: "trn_9", text: "", calls: [] };
const users = (count: number): readonly HistoryEntry[] =>
  Array.from({ length: count }, (_, at) => ({ kind: "user", turn: `trn_${at}`, parts: [] }));

/** Reads what a checkpoint leaves to rows; whatever else a loop would ask it for is a bug here. */
const journalOf = (history: readonly HistoryEntry[]): TurnJournal =>
  ({ history: () => history, stepMessage: () => message, batchCalls: () => [] }) as Partial<TurnJournal> as TurnJournal;

const partsOf = (history: readonly HistoryEntry[], hidden: readonly string[] = []) => ({
  execution,
  identity,
  journal: journalOf(history),
  cancel: new AbortController().signal,
  hidden: new Set(hidden),
});

const words = fc.string({ unit: "binary", maxLength: 12 }).map((word) => word.toWellFormed());
const loopCall = { tool: words, argsDigest: words };
const anyLoop: fc.Arbitrary<ToolLoop> = fc
  .record({
    pot: fc.nat(10),
    calls: fc.nat(200),
    iteration: fc.integer({ min: 1, max: 10 }),
    ranBeforeMs: fc.nat(),
    reportedTokens: fc.nat(),
    usage: fc.record({
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      cachedTokens: fc.nat(),
      reasoningTokens: fc.nat(),
      costUsd: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((usd) => usd + 0),
      exact: fc.boolean(),
    }),
    receipts: fc.array(fc.record({ callId: words, tool: words, receipt: words }), { maxLength: 3 }),
    hidden: fc.uniqueArray(words, { maxLength: 3 }),
    turnGuards: fc.record({ repeatedPrompt: fc.uniqueArray(words, { maxLength: 3 }), malformed: fc.nat(2) }),
    frameGuards: fc.record({
      loopDetector: fc.record({
        window: fc.array(fc.record({ ...loopCall, outputDigest: words }, { requiredKeys: ["tool", "argsDigest"] })),
        blocks: fc.uniqueArray(fc.record(loopCall), { maxLength: 3, selector: (call) => JSON.stringify(call) }),
      }),
      identicalOutput: fc.record({ repeats: fc.nat(3), digest: words }, { requiredKeys: ["repeats"] }),
    }),
    trimmed: fc.boolean(),
  })
  .map(({ pot, calls, usage, receipts, hidden, turnGuards, frameGuards, trimmed, ...own }) => {
    const history = users(3);
    const loop = createToolLoop(partsOf(history, hidden));
    const kept: readonly HistoryEntry[] = trimmed
      ? [{ kind: "note", turn: "trn_9", text: "…" }, ...history.slice(1)]
      : history;
    return {
      ...loop,
      ...own,
      history: [...kept],
      shared: { pot, calls, usage, receipts, guards: createTurnGuards(turnGuards) },
      guards: createFrameGuards(execution.knobs.pacing, frameGuards),
    };
  });
const anyBlocked = fc.array(fc.record({ ...loopCall, callId: words }), { maxLength: 2 });

describe("a checkpoint", () => {
  test("[CK2][CK3][RX8] goes through JSON, and the loop that comes back from it makes the same again", () => {
    fc.assert(
      fc.property(anyLoop, anyBlocked, (loop, blocked) => {
        const checkpoint = encodeCheckpoint(loop, blocked);
        const stored = JSON.stringify(checkpoint);
        const restored = restoreToolLoop(partsOf(users(3)), JSON.parse(stored));
        if (!restored.ok) throw new Error(restored.failure);
        expect(JSON.parse(JSON.stringify(encodeCheckpoint(restored.value.loop, blocked)))).toEqual(JSON.parse(stored));
        expect(restored.value.loop.history).toHaveLength(loop.history.length);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    null,
    7,
    "x",
    [],
    {},
    { version: 0 },
    { version: 2 },
    { version: 1.5e9 },
    { version: "1" },
    { version: null },
  ])("[CK18] %j is none that can be read, and no knobs are taken from it", (stored) => {
    expect(restoreToolLoop(partsOf(users(1)), stored)).toEqual({ ok: false, failure: "checkpoint_version" });
    expect(readPinnedKnobs(stored)).toBeUndefined();
  });

  test("[CK1][CK10] the clock starts anew at re-entry: what was waited is not counted, what ran is", () => {
    const loop = createToolLoop(partsOf(users(1)));
    const ran = { ...loop, ranBeforeMs: 1000, since: execution.ports.now() - 234 };
    expect(encodeCheckpoint(ran, [])).toMatchObject({ ranMs: 1234 });
    const restored = restoreToolLoop(partsOf(users(1)), encodeCheckpoint(ran, []));
    expect(restored).toMatchObject({ value: { loop: { ranBeforeMs: 1234, since: execution.ports.now() } } });
  });
});
