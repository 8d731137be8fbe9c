/** Storage suite, calls: fence, settlement, rounds, sealing. */
import { describe, expect, test } from "vitest";
import { findCall } from "../../src/storage/call-store.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { decodeUtf8 } from "../../src/storage/utf8.ts";
import { expectSound, readLog } from "./storage-checker.ts";
import {
  assistant,
  begin,
  finish,
  type Fixture,
  makeCall,
  makeEvent,
  makeOutcome,
  countFacts,
  openFixture,
  propose,
  readTables,
  runToolTurn,
  settle,
  settleAsUnrun,
  toolEntry,
  usage,
  type WithDatabase,
} from "./storage-fixture.ts";

const calls = [0, 1, 2].map((index) => makeCall("t", index));
const [first = makeCall("t", 0), second = makeCall("t", 1), third = makeCall("t", 2)] = calls;

function openRound(fixture: Fixture): ReturnType<Fixture["journal"]> {
  fixture.accept("t");
  fixture.start("t");
  const journal = fixture.journal("t");
  propose(journal, "t", { step: 1, calls });
  return journal;
}

function describeFence(withDatabase: WithDatabase): void {
  test("[G5] a call starts once, and its row holds exactly what was let through", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const journal = openRound(fixture);
      expect(findCall(sql, first.callId)).toEqual({ call: first, turn: 1, frame: "", step: 1, state: "proposed" });
      expect(begin(journal, first)).toBe(true);
      const before = readTables(sql);
      expect(begin(journal, first)).toBe(false);
      expect(begin(journal, makeCall("t", 9))).toBe(false);
      expect(readTables(sql)).toEqual(before);
      expect(findCall(sql, first.callId)).toMatchObject({
        state: "started",
        prepared: { definitionHash: "hash", args: { city: "city 0" }, argsDigest: "digest" },
        startedAt: 1_000_000,
      });
    }));

  test("[DI5] nothing starts behind a cancel", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const journal = openRound(fixture);
      askCancel(fixture.context, { turn: "t", reason: "cancel" });
      expect(begin(journal, first)).toBe(false);
      expect(findCall(sql, first.callId)?.state).toBe("proposed");
    }));

  test("[DU11] a second result changes no row", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      expect(settle(journal, first)).toBeUndefined();
      begin(journal, first);
      expect(settle(journal, first)).toBeDefined();
      const before = readTables(sql);
      expect(settle(journal, first, "late")).toBeUndefined();
      expect(readTables(sql)).toEqual(before);
    }));

  test("[EV3] a call that never ran has its pair at once, one that did has its result behind its call", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      begin(journal, first);
      settleAsUnrun(journal, second);
      settle(journal, first);
      const of = ({ type, callId }: { type: string; callId?: string }): string => `${type} ${callId?.at(-1) ?? ""}`;
      const tail = readLog(sql).slice(-4);
      expect(tail.map(of)).toEqual(["tool_call 0", "tool_call 1", "tool_result 1", "tool_result 0"]);
    }));

  test("[EV2] a started or settled call is not settled as unrun, and its neighbours are left as they were", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      begin(journal, second);
      settleAsUnrun(journal, third);
      const before = readTables(sql);
      const outcome = makeOutcome("no");
      const delta = makeEvent("t", { type: "text_delta", text: "", messageId: "m" });
      for (const bad of [second, third, makeCall("t", 9)]) {
        const unrun = [first, bad].map((call) => ({ call, outcome, events: [delta, delta] as const }));
        expect(() => journal.settleUnrun(unrun)).toThrow("cannot be settled");
      }
      expect(readTables(sql)).toEqual(before);
    }));
}

function describeRounds(withDatabase: WithDatabase): void {
  test("[HI2] a response is not history until its round is, then it is whole and its row lets go of it", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      expect(journal.history().map(({ kind }) => kind)).toEqual(["user"]);
      const outcomes = calls.map((call) => settleAsUnrun(journal, call));
      const entries = calls.map((call, slot) => toolEntry("t", call, outcomes[slot] ?? makeOutcome("")));
      const round = [assistant("t", "text 1", calls), ...entries, { kind: "note", turn: "t", text: "mind" } as const];
      journal.appendRound({ step: 1, entries: round });
      expect(journal.history().slice(1)).toEqual(round);
      expect(sql.all("SELECT state, response FROM steps")).toEqual([{ state: "appended", response: null }]);
    }));

  test("[DU21] a request without an accepted response is abandoned when the turn goes on or ends without it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      for (const step of [1, 2]) journal.openStep({ step, attempt: 1 });
      expect(sql.all("SELECT state FROM steps")).toEqual([{ state: "abandoned" }, { state: "pending" }]);
      finish(journal, "t");
      expect(sql.all("SELECT state FROM steps")).toEqual([{ state: "abandoned" }, { state: "abandoned" }]);
    }));

  test("[HI2] a response too large for its row leaves nothing behind there when it has become history", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      const message = assistant("t", "x".repeat(300_000));
      const owners = (): unknown[] => sql.all("SELECT DISTINCT owner FROM overflow").map((row) => row["owner"]);
      journal.openStep({ step: 1, attempt: 1 });
      journal.commitResponse({ step: 1, message, finishReason: "stop", calls: [], events: [] });
      expect(owners()).toEqual(["steps/1..1/response"]);
      journal.appendRound({ step: 1, entries: [message] });
      expect(owners()).toEqual(["messages/.1.2/body"]);
      expect(journal.history().at(-1)).toEqual(message);
    }));

  test("[HI2] a round with an open call, a missing result or a wrong order is refused", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      const message = assistant("t", "text 1", calls);
      const results = [first, second].map((call) => toolEntry("t", call, settleAsUnrun(journal, call)));
      const last = toolEntry("t", third, makeOutcome("x"));
      expect(() => journal.appendRound({ step: 1, entries: [message, ...results, last] })).toThrow(
        "without a disposition",
      );
      settleAsUnrun(journal, third);
      expect(() => journal.appendRound({ step: 1, entries: [message, ...results] })).toThrow("slot order");
      expect(() => journal.appendRound({ step: 1, entries: [message, last, ...results] })).toThrow("slot order");
      expect(() => journal.appendRound({ step: 2, entries: [message, ...results, last] })).toThrow("no response");
      expect(() => journal.openStep({ step: 2, attempt: 1 })).toThrow("waits for its round");
      journal.appendRound({ step: 1, entries: [message, ...results, last] });
      expect(() => journal.appendRound({ step: 1, entries: [message, ...results, last] })).toThrow("no response");
    }));

  test("[HI2] a response is committed once, to a request that was opened", () =>
    withDatabase(({ sql }) => {
      const journal = openRound(openFixture(sql));
      const response = { step: 1, message: assistant("t", "again"), finishReason: "stop", calls: [], events: [] };
      expect(() => journal.commitResponse(response)).toThrow("no open request");
      expect(() => journal.commitResponse({ ...response, step: 2 })).toThrow("no open request");
    }));

  test("[DU47] a result's text is stored once: history borrows it from the call", () =>
    withDatabase(({ sql }) => {
      runToolTurn(openFixture(sql), "t", 1);
      const bodies = sql.all("SELECT body FROM messages WHERE call_id IS NOT NULL").map((row) => row["body"]);
      expect(bodies).toHaveLength(1);
      expect(bodies[0] instanceof Uint8Array && decodeUtf8(bodies[0])).not.toContain("sunny");
      const tool = readHistory(sql, { turn: 1, frame: "", maxBytes: 1e9 }).find(({ kind }) => kind === "tool");
      expect(tool).toMatchObject({ text: "sunny\n\n[receipt: zc-receipt-1000-1-call_t_0]" });
    }));

  test.each([
    [1, "told later", 0],
    [3, "told later", 0],
    [8, "told later", 0],
    [1, "told of each fact alone, 3 rows more for it", 3],
    [8, "told of each fact alone, 3 rows more for it", 3],
  ] as const)(
    "[DU47] a turn of %i calls writes at most 30 + 14 rows a call; its tenant is %s",
    (count, _told, rowsToTell) =>
      withDatabase(({ sql, written }) => {
        const fixture = openFixture(sql, rowsToTell > 0);
        const before = written();
        runToolTurn(fixture, "t", count);
        const rows = written() - before;
        expect(rows).toBeGreaterThan(0);
        expect(rows).toBeLessThanOrEqual(30 + 14 * count + rowsToTell * countFacts(sql));
      }),
  );
}

function describeSeal(withDatabase: WithDatabase): void {
  test("[DU10] a started call is of unknown outcome, the others are interrupted, settled ones keep theirs", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const journal = openRound(fixture);
      begin(journal, first);
      settle(journal, first);
      begin(journal, second);
      expect(fixture.seal("t")).toBe(true);
      const found = calls.map(({ callId }) => findCall(sql, callId)?.outcome?.disposition);
      expect(found).toEqual(["succeeded", "outcome_unknown", "interrupted"]);
      const tail = readLog(sql).slice(-5);
      expect(tail.map(({ type }) => type)).toEqual([
        "tool_result",
        "tool_call",
        "tool_result",
        "turn_recovered",
        "turn_finished",
      ]);
      expect(tail[3]).toMatchObject({
        calls: [
          { callId: second.callId, disposition: "outcome_unknown" },
          { callId: third.callId, disposition: "interrupted" },
        ],
      });
      const texts = readHistory(sql, { turn: 1, frame: "", maxBytes: 1e9 }).map((entry) =>
        entry.kind === "tool" ? entry.text : entry.kind,
      );
      const receipted = "sunny\n\n[receipt: zc-receipt-1000-1-call_t_0]";
      expect(texts).toEqual(["user", "assistant", receipted, "text for outcome_unknown", "text for interrupted"]);
      expectSound(sql);
    }));

  test("[DU22] a sealed turn keeps its spending and receipts, and is sealed once", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const journal = openRound(fixture);
      begin(journal, first);
      settle(journal, first);
      fixture.seal("t");
      const before = readTables(sql);
      expect(findTurn(sql, "t")).toMatchObject({
        turn: { state: "failed", reason: "recovery_exhausted", finishedAt: 1_000_000 },
        summary: { usage, iterations: 1, receipts: [{ callId: first.callId, tool: "weather" }], text: "text 1" },
      });
      expect(fixture.seal("t")).toBe(false);
      expect(readTables(sql)).toEqual(before);
    }));

  test("[DU22][PV10] what was shown of an unfinished response stays with its note, without what was taken back", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      const delta = (text: string) => makeEvent("t", { type: "text_delta", text, messageId: "m" });
      journal.openStep({ step: 1, attempt: 1 });
      journal.appendEvents([delta("gone"), makeEvent("t", { type: "message_reset", messageId: "m" }), delta("kept ")]);
      journal.appendEvents([delta("too")]);
      fixture.seal("t");
      expect(readHistory(sql, { turn: 1, frame: "", maxBytes: 1e9 }).slice(1)).toEqual([
        assistant("t", "kept too"),
        { kind: "note", turn: "t", text: "cut" },
      ]);
      expect(findTurn(sql, "t")?.summary).toMatchObject({ text: "kept too", iterations: 0, usage: { exact: false } });
      expectSound(sql);
    }));

  test("[DU22] a retried request starts its text anew, and an accepted answer is kept whole", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      journal.openStep({ step: 1, attempt: 1 });
      journal.appendEvents([makeEvent("t", { type: "text_delta", text: "partial", messageId: "m" })]);
      journal.openStep({ step: 1, attempt: 2 });
      expect(sql.all("SELECT step, attempt, opened_seq FROM steps")).toEqual([{ step: 1, attempt: 2, opened_seq: 3 }]);
      journal.commitResponse({
        step: 1,
        message: assistant("t", "answer"),
        finishReason: "stop",
        calls: [],
        events: [],
      });
      fixture.seal("t");
      expect(readHistory(sql, { turn: 1, frame: "", maxBytes: 1e9 }).slice(1)).toEqual([assistant("t", "answer")]);
    }));

  test("[LC31] a bug closes the turn the same way, without a word of recovery", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      begin(openRound(fixture), first);
      fixture.seal("t", { reason: "internal" });
      expect(findTurn(sql, "t")?.turn.reason).toBe("internal");
      expect(readLog(sql).map(({ type }) => type)).not.toContain("turn_recovered");
      expectSound(sql);
    }));

  test("[DU17] a turn that is not running is not sealed", () =>
    withDatabase(({ sql, written }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      const before = written();
      expect(fixture.seal("t")).toBe(false);
      expect(written()).toBe(before);
    }));
}

export function describeStoredCalls(withDatabase: WithDatabase): void {
  describe("the fence", () => {
    describeFence(withDatabase);
  });
  describe("rounds", () => {
    describeRounds(withDatabase);
  });
  describe("sealing", () => {
    describeSeal(withDatabase);
  });
}
