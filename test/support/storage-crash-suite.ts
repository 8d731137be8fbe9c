/** Storage suite, crashes: a fault at any statement, any order of transactions, and the rows still tell one story. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TurnJournal } from "../../src/contracts/turn-journal.ts";
import { lastEventSeq } from "../../src/storage/event-store.ts";
import type { SqlPort, SqlValue } from "../../src/storage/sql-port.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { findActiveTurn, findTurn } from "../../src/storage/turn-store.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { expectDenseLog, expectSound } from "./storage-checker.ts";
import {
  assistant,
  begin,
  finish,
  type Fixture,
  makeCall,
  makeEvent,
  openFixture,
  propose,
  readTables,
  runToolTurn,
  settle,
  settleAsUnrun,
  toolEntry,
  type WithDatabase,
} from "./storage-fixture.ts";

/** Milliseconds: hundreds of databases are made and read whole in these tests. */
const patience = 60_000;

class Reset extends Error {}

/** Statement number `at` and every later one throw, as in an object whose code was updated. `onCommit` sees each whole transaction. */
export function breakAt(sql: SqlPort, at: number, onCommit: () => void): { port: SqlPort; used: () => number } {
  let used = 0;
  let depth = 0;
  const count = (): void => {
    used += 1;
    if (used >= at) throw new Reset("Durable Object reset because its code was updated.");
  };
  const port: SqlPort = {
    all: (statement: string, ...bindings: readonly SqlValue[]) => {
      count();
      return sql.all(statement, ...bindings);
    },
    run: (statement: string, ...bindings: readonly SqlValue[]) => {
      count();
      return sql.run(statement, ...bindings);
    },
    transaction: (act) => {
      depth += 1;
      try {
        const value = sql.transaction(act);
        if (depth === 1) onCommit();
        return value;
      } finally {
        depth -= 1;
      }
    },
  };
  return { port, used: () => used };
}

function expectNothing(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Reset)) throw error;
  }
}

/** Closes whatever a crash left open, as a boot would. */
function recover(fixture: Fixture): void {
  const active = findActiveTurn(fixture.sql)?.turn.id;
  expect(active === undefined || fixture.seal(active)).toBe(true);
}

async function breakEverywhere(withDatabase: WithDatabase, at: number): Promise<boolean> {
  return withDatabase(({ sql }) => {
    openFixture(sql);
    let committed = readTables(sql);
    const { port, used } = breakAt(sql, at, () => {
      committed = readTables(sql);
    });
    expectNothing(() => runToolTurn(openFixture(port), "t", 2));
    expect(readTables(sql)).toEqual(committed);
    recover(openFixture(sql));
    expectSound(sql);
    return used() >= at;
  });
}

type Op = readonly [name: (typeof opNames)[number], slot: number];
const opNames = [
  "open",
  "propose",
  "start",
  "settle",
  "unrun",
  "round",
  "deltas",
  "cancel",
  "finish",
  "seal",
  "restart",
] as const;

interface Play {
  fixture: Fixture;
  journal: TurnJournal;
  step: number;
  callCount: number;
  batch: ReturnType<typeof makeCall>[];
}

function playRound(play: Play): void {
  const results = play.batch.map((call) => {
    const outcome = findCall(play.fixture.sql, call.callId)?.outcome;
    if (outcome === undefined) throw new Error("open call");
    return toolEntry("t", call, outcome);
  });
  play.journal.appendRound({ step: play.step, entries: [assistant("t", "text", play.batch), ...results] });
}

function playOp(play: Play, [name, slot]: Op): void {
  const { journal } = play;
  const call = play.batch[slot % Math.max(play.batch.length, 1)];
  switch (name) {
    case "open":
      return journal.openStep({ step: play.step + 1, attempt: slot });
    case "propose": {
      const batch = Array.from({ length: slot % 4 }, (_, index) => ({
        ...makeCall("t", play.callCount + index),
        index,
      }));
      propose(journal, "t", { step: play.step + 1, calls: batch });
      Object.assign(play, { step: play.step + 1, callCount: play.callCount + batch.length, batch });
      return undefined;
    }
    case "start":
      return void (call && begin(journal, call));
    case "settle":
      return void (call && settle(journal, call));
    case "unrun":
      return void (call && settleAsUnrun(journal, call));
    case "round":
      return playRound(play);
    case "deltas":
      return journal.appendEvents([makeEvent("t", { type: "text_delta", text: "x".repeat(slot), messageId: "m" })]);
    case "cancel":
      return void askCancel(play.fixture.context, { turn: "t", reason: "cancel" });
    case "finish":
      return void finish(journal, "t");
    case "seal":
      return void play.fixture.seal("t");
    case "restart":
      play.fixture = openFixture(play.fixture.sql);
      play.journal = play.fixture.journal("t");
      return undefined;
    default:
      return name satisfies never;
  }
}

interface Refused {
  readonly before?: ReturnType<typeof readTables>;
  readonly after?: ReturnType<typeof readTables>;
}

/** What lay in the tables around an operation that threw; nothing when it went through. */
function playRefused(play: Play, step: Op): Refused {
  const { sql } = play.fixture;
  const before = readTables(sql);
  try {
    playOp(play, step);
    return {};
  } catch {
    // Proposing is two transactions, of which the first may stand alone.
    return step[0] === "propose" ? {} : { before, after: readTables(sql) };
  }
}

function describeOrders(withDatabase: WithDatabase, runs: number): void {
  const op = fc.tuple(fc.constantFrom(...opNames), fc.nat(9));

  test(
    "[HC4] whatever order the transactions come in, each call has one pair and one disposition",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(op, { maxLength: 40 }), (ops) =>
          withDatabase(({ sql }) => {
            const fixture = openFixture(sql);
            fixture.accept("t");
            fixture.start("t");
            const play: Play = { fixture, journal: fixture.journal("t"), step: 0, callCount: 0, batch: [] };
            const refused = ops.map((step) => playRefused(play, step));
            for (const { before, after } of refused) expect(after).toEqual(before);
            recover(fixture);
            expectSound(sql);
            expect(findTurn(sql, "t")?.turn.finishedAt).toBeDefined();
          }),
        ),
        { numRuns: runs },
      );
    },
    patience,
  );

  test(
    "[HC1] the log is dense whatever was rolled back",
    async () => {
      const batch = fc.record({ count: fc.nat(4), fails: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { maxLength: 20 }), (batches) =>
          withDatabase(({ sql }) => {
            const fixture = openFixture(sql);
            fixture.accept("t");
            fixture.start("t");
            const journal = fixture.journal("t");
            let kept = 2;
            for (const { count, fails } of batches) {
              const events = Array.from({ length: count }, (_, index) =>
                makeEvent("t", { type: "text_delta", text: `${index}`, messageId: "m" }),
              );
              expectNothing(() =>
                sql.transaction(() => {
                  journal.appendEvents(events);
                  if (fails) throw new Reset("rolled back");
                }),
              );
              if (!fails) kept += count;
            }
            expect(lastEventSeq(sql)).toBe(kept);
            expectDenseLog(sql);
          }),
        ),
        { numRuns: runs },
      );
    },
    patience,
  );
}

export function describeStoredCrashes(withDatabase: WithDatabase, runs: number): void {
  describe("orders", () => {
    describeOrders(withDatabase, runs);
  });
  test(
    "[HC3] a fault at any statement of a turn leaves whole transactions, and the rest can be closed",
    async () => {
      let at = 1;
      while (await breakEverywhere(withDatabase, at)) at += 1;
      expect(at).toBeGreaterThan(50);
    },
    patience,
  );
}
