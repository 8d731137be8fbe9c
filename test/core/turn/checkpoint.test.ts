/** The checkpoint as a value: what is encoded, is restored, and would be encoded again as the same JSON. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/contracts/json.ts";
import type { HistoryEntry } from "../../../src/contracts/message.ts";
import type { FrameRecord, LoopCheckpoint, TurnJournal } from "../../../src/contracts/turn-journal.ts";
import { describeFrame, readPinnedKnobs, takeCheckpoint } from "../../../src/core/turn/checkpoint.ts";
import { runDelegate } from "../../../src/core/turn/delegate.ts";
import { createFrameGuards, createTurnGuards } from "../../../src/core/turn/guards/guards.ts";
import { restoreTurn } from "../../../src/core/turn/restore-loop.ts";
import { type ToolLoop, createToolLoop, createTurnShared } from "../../../src/core/turn/turn-context.ts";
import { runOnce } from "../../support/core-fixture.ts";
import { says } from "../../support/scripted-provider.ts";

const { execution } = await runOnce([says("ok")], { runtime: { max_tool_iterations: 7 } });
const identity = { tenant: "t", conversation: "c", turn: "trn_9", channel: "http", subject: "s", interactive: true };
const users = (count: number): readonly HistoryEntry[] =>
  Array.from({ length: count }, (_, at) => ({ kind: "user", turn: `trn_${at}`, parts: [] }));

interface Rows {
  readonly history: readonly HistoryEntry[];
  readonly record?: FrameRecord;
  readonly checkpoint?: JsonValue;
  readonly receipts?: ToolLoop["shared"]["receipts"];
}

/** Reads what a checkpoint leaves to rows; whatever else a loop would ask it for is a bug here. */
const journalOf = ({ history, record, checkpoint, receipts = [] }: Rows): TurnJournal =>
  ({
    history: () => history,
    follow: () => undefined,
    readFrame: () =>
      record && { record, checkpoint: checkpoint as JsonObject, step: { step: 1, attempt: 1, state: "closed" } },
    openFrames: () => (record ? [{ record, checkpoint: checkpoint as JsonObject }] : []),
    turnCheckpoint: () => checkpoint as JsonObject,
    issuedReceipts: () => receipts,
  }) as Partial<TurnJournal> as TurnJournal;

const partsOf = (rows: Rows, hidden: readonly string[] = []) => ({
  execution,
  identity,
  journal: journalOf(rows),
  cancel: new AbortController().signal,
  hidden: new Set(hidden),
  runDelegate,
});
const openOf = (rows: Rows, hidden: readonly string[] = []): ToolLoop =>
  createToolLoop({
    ...partsOf(rows, hidden),
    frame: { depth: 0 },
    shared: createTurnShared(execution),
    listing: { names: [], text: "" },
  });
/** As its row gives it back. */
const storedOf = ({ n, body }: LoopCheckpoint) => ({ n, body: throughText(body) as JsonObject });
const throughText = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

const words = fc.string({ unit: "binary", maxLength: 12 }).map((word) => word.toWellFormed());
const loopCall = { tool: words, argsDigest: words };
const anyLoop: fc.Arbitrary<ToolLoop> = fc
  .record({
    pot: fc.nat(10),
    ranBeforeMs: fc.nat(),
    checkpoints: fc.nat(50),
    calls: fc.nat(200),
    iteration: fc.integer({ min: 1, max: 10 }),
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
  .map(
    ({ pot, calls, ranBeforeMs, checkpoints, usage, receipts, hidden, turnGuards, frameGuards, trimmed, ...own }) => {
      const history = users(3);
      const loop = openOf({ history }, hidden);
      const kept: readonly HistoryEntry[] = trimmed
        ? [{ kind: "note", turn: "trn_9", text: "…" }, ...history.slice(1)]
        : history;
      return {
        ...loop,
        ...own,
        history: [...kept],
        shared: {
          ...loop.shared,
          pot,
          calls,
          ranBeforeMs,
          checkpoints,
          usage,
          receipts,
          guards: createTurnGuards(turnGuards),
        },
        guards: createFrameGuards(execution.knobs.pacing, frameGuards),
      };
    },
  );

describe("a checkpoint", () => {
  test("[CK2][CK3][RX8] goes through JSON, and the loop that comes back from it makes the same again", () => {
    fc.assert(
      fc.property(anyLoop, (loop) => {
        const record = throughText(describeFrame(loop));
        const taken = storedOf(takeCheckpoint(loop));
        const rows = { history: users(3), record, checkpoint: taken.body, receipts: loop.shared.receipts };
        const restored = restoreTurn(partsOf(rows));
        if (!restored.ok) throw new Error(restored.failure);
        const again = restored.value.loop;
        expect(throughText(describeFrame(again))).toEqual(record);
        const next = storedOf(takeCheckpoint(again));
        expect(next.n).toBe(taken.n + 1);
        expect(next.body).toEqual({
          ...taken.body,
          shared: { ...(taken.body["shared"] as JsonObject), checkpoints: next.n },
        });
        expect(again.history).toHaveLength(loop.history.length);
        expect(again.shared.receipts).toEqual(loop.shared.receipts);
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
    const { record, checkpoint } = rowsOf(openOf({ history: users(1) }));
    const unreadable = { ok: false, failure: "checkpoint_version" };
    expect(restoreTurn(partsOf({ history: users(1), record, checkpoint: stored }))).toEqual(unreadable);
    const pinned = { ...record, pinned: stored as JsonObject };
    expect(restoreTurn(partsOf({ history: users(1), record: pinned, checkpoint }))).toEqual(unreadable);
    expect(readPinnedKnobs(stored)).toBeUndefined();
  });

  test("[CK1][CK10] the clock starts anew at re-entry: what was waited is not counted, what ran is", () => {
    const loop = openOf({ history: users(1) });
    const shared = { ...loop.shared, ranBeforeMs: 1000, since: execution.ports.now() - 234 };
    const rows = rowsOf({ ...loop, shared });
    expect(rows.checkpoint).toMatchObject({ shared: { ranMs: 1234 } });
    const restored = restoreTurn(partsOf({ history: users(1), ...rows }));
    const clock = { ranBeforeMs: 1234, since: execution.ports.now() };
    expect(restored).toMatchObject({ value: { loop: { shared: clock } } });
  });
});

const rowsOf = (loop: ToolLoop) => ({ record: describeFrame(loop), checkpoint: storedOf(takeCheckpoint(loop)).body });
