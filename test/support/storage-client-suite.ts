/** Storage suite, client calls and steering: what comes in from outside while a turn is under way. */
import { describe, expect, test } from "vitest";
import type { InputPart } from "../../src/contracts/message.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { findNextDeadline, listDue } from "../../src/storage/deadline-store.ts";
import { readOpenRequests } from "../../src/storage/open-requests.ts";
import { readHistory, readInput } from "../../src/storage/message-store.ts";
import { readResultBytes } from "../../src/storage/result-store.ts";
import { addSteering } from "../../src/storage/transactions/add-steering.ts";
import { answerClientCalls, findOfferedCalls } from "../../src/storage/transactions/answer-client-calls.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { expireClientCall } from "../../src/storage/transactions/expire-client-call.ts";
import { countQueued, findNextQueued, findTurn } from "../../src/storage/turn-store.ts";
import { heartbeatMs } from "../../src/storage/transactions/heartbeat.ts";
import { decodeUtf8 } from "../../src/storage/utf8.ts";
import { joinBytes } from "../../src/storage/chunks.ts";
import { expectSound, readLog } from "./storage-checker.ts";
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
  type WithDatabase,
} from "./storage-fixture.ts";
import { answer, deadline, decide, endAs, offer, openBatch, prepare, suspend } from "./storage-wait-fixture.ts";

const stateOf = ({ sql }: Fixture): string | undefined => findTurn(sql, "t")?.turn.state;

/** One call of ours has run, two of the client's are offered. */
function offered(fixture: Fixture) {
  const { journal, calls } = openBatch(fixture, 3);
  const [ours = makeCall("t", 0), one = makeCall("t", 1), two = makeCall("t", 2)] = calls;
  begin(journal, ours);
  settle(journal, ours);
  offer(journal, [one, two]);
  return { journal, ours, one, two };
}

const conflictsOf = ({ context }: Fixture, callIds: readonly string[], turn = "t"): unknown => {
  const found = findOfferedCalls(context, { turn, callIds });
  return found.ok ? [] : found.failure.map(({ reason }) => reason);
};

function describeOffers(withDatabase: WithDatabase): void {
  test("[DI11] client calls are offered once all others have settled: started, with a deadline, and shown as open", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, one, two } = offered(fixture);
      expect(findCall(sql, one.callId)).toMatchObject({ state: "started", startedAt: 1_000_000, expiresAt: deadline });
      expect(stateOf(fixture)).toBe("suspended");
      expect(readOpenRequests(sql, 1).clientCalls).toEqual(
        [one, two].map(({ callId, tool, args }) => ({ callId, tool, args, expiresAt: deadline })),
      );
      expect(findNextDeadline(sql)).toBe(deadline);
      expect(journal.batchCalls(1).map(({ state, prepared }) => [state, prepared?.tool])).toEqual([
        ["settled", "weather"],
        ["started", "weather"],
        ["started", "weather"],
      ]);
    }));

  test("[DI11] nothing is offered beside an open call, behind a cancel, without an approval that is needed, or twice", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      const [ours = makeCall("t", 0), theirs = makeCall("t", 1)] = calls;
      const before = readTables(sql);
      expect(() => offer(journal, [theirs])).toThrow("cannot wait while");
      expect(() => offer(journal, [])).toThrow("without a client call");
      const prompt = { prepared: prepare(theirs, { requirement: "prompt" }), expiresAt: deadline };
      const offering = { step: 1, calls: [prompt], events: [] };
      expect(() => journal.offerCalls(offering)).toThrow("cannot be offered");
      expect(readTables(sql)).toEqual(before);
      begin(journal, ours);
      expect(() => offer(journal, [ours, theirs])).toThrow("cannot be offered");
      settle(journal, ours);
      askCancel(fixture.context, { turn: "t", reason: "cancel" });
      expect(() => offer(journal, [theirs])).toThrow("asked to cancel");
    }));

  test("[AP5] a client call that is not what was approved is not offered", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 1);
      const [call = makeCall("t", 0)] = calls;
      suspend(journal, { asked: calls });
      decide(fixture, call);
      const changed = { prepared: prepare(call, { argsDigest: "changed" }), expiresAt: deadline };
      const offering = { step: 1, calls: [changed], events: [] };
      expect(() => journal.offerCalls(offering)).toThrow("cannot be offered");
    }));

  test("[CK12] a client call that a person approved is offered, and its row still says who was asked", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 1);
      const [call = makeCall("t", 0)] = calls;
      suspend(journal, { asked: calls });
      decide(fixture, call);
      offer(journal, calls);
      expect(journal.batchCalls(1)[0]?.prepared).toMatchObject({ requirement: "prompt", approvalId: "apr_call_t_0" });
      answerClientCalls(fixture.context, "t", [answer(call)]);
      expect(readLog(sql).filter(({ type }) => type === "turn_resumed")).toMatchObject([
        { reason: "approval" },
        { reason: "client_tool" },
      ]);
    }));
}

function describeAnswers(withDatabase: WithDatabase): void {
  test("[TC28] results come in any order and in several posts; the last one sets the turn running", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, ours, one, two } = offered(fixture);
      expect(answerClientCalls(fixture.context, "t", [answer(two)])).toEqual({ ok: true, value: { resumed: false } });
      expect(stateOf(fixture)).toBe("suspended");
      expect(answerClientCalls(fixture.context, "t", [answer(one)])).toEqual({ ok: true, value: { resumed: true } });
      expect(stateOf(fixture)).toBe("running");
      const outcomes = journal
        .batchCalls(1)
        .map(({ outcome }) => [outcome?.disposition, outcome?.receipt !== undefined]);
      expect(outcomes).toEqual([
        ["succeeded", true],
        ["client_result", false],
        ["client_result", false],
      ]);
      expect(decodeUtf8(joinBytes([...readResultBytes(sql, one.callId)]))).toBe("from the client");
      expect(
        readLog(sql)
          .slice(-3)
          .map(({ type, callId }) => `${type} ${callId ?? ""}`),
      ).toEqual([`tool_result ${two.callId}`, `tool_result ${one.callId}`, "turn_resumed "]);
      expect(conflictsOf(fixture, [ours.callId, one.callId])).toEqual(["not_client", "settled"]);
    }));

  test("[TC27] one call that takes no result keeps the whole post out, and each is named with its reason", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { ours, one, two } = offered(fixture);
      answerClientCalls(fixture.context, "t", [answer(two)]);
      const before = readTables(sql);
      const posted = [one, two, ours, makeCall("t", 9)].map((call) => answer(call));
      expect(answerClientCalls(fixture.context, "t", posted)).toEqual({
        ok: false,
        failure: [
          { callId: two.callId, reason: "settled" },
          { callId: ours.callId, reason: "not_client" },
          { callId: "call_t_9", reason: "unknown" },
        ],
      });
      expect(() => answerClientCalls(fixture.context, "t", [answer(one), answer(one)])).toThrow("UNIQUE");
      expect(answerClientCalls(fixture.context, "other", [answer(one)])).toMatchObject({ ok: false });
      expect(readTables(sql)).toEqual(before);
    }));

  test("[DU7] a result behind the deadline or a cancel is not taken", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = offered(fixture);
      fixture.wait(deadline - 1_000_000);
      expect(conflictsOf(fixture, [one.callId])).toEqual(["closed"]);
      fixture.wait(-1);
      expect(conflictsOf(fixture, [one.callId])).toEqual([]);
      askCancel(fixture.context, { turn: "t", reason: "cancel" });
      expect(conflictsOf(fixture, [one.callId])).toEqual(["closed"]);
    }));

  test("[TC27] a client result never has a receipt", () =>
    withDatabase(({ sql }) => {
      runToolTurn(openFixture(sql), "before", 1);
      const receipt = findCall(sql, "call_before_0")?.outcome?.receipt;
      if (receipt === undefined) throw new Error("no receipt");
      const fixture = openFixture(sql);
      const { one } = offered(fixture);
      const signed = { ...answer(one), outcome: { ...answer(one).outcome, receipt } };
      expect(() => answerClientCalls(fixture.context, "t", [signed])).toThrow("cannot have a receipt");
    }));

  test("[TC28] what is missing at the deadline has timed out, once and not before, and the turn goes on", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one, two } = offered(fixture);
      const timeOut = (call: typeof one) => expireClientCall(fixture.context, answer(call, "too late", "timed_out"));
      answerClientCalls(fixture.context, "t", [answer(one)]);
      expect(timeOut(two)).toBeUndefined();
      expect(listDue(sql, deadline - 1, 50)).toEqual([]);
      fixture.wait(deadline - 1_000_000);
      expect(listDue(sql, deadline, 50).map(({ ref }) => ref)).toEqual([two.callId]);
      expect(timeOut(one)).toBeUndefined();
      expect(timeOut(two)).toEqual({ resumed: true });
      expect(timeOut(two)).toBeUndefined();
      expect(findCall(sql, two.callId)?.outcome?.disposition).toBe("timed_out");
      expect(findNextDeadline(sql)).toBe(fixture.context.now() + heartbeatMs);
    }));
}

const text = (words: string): readonly InputPart[] => [{ type: "text", text: words }];
const steer = ({ context }: Fixture, words: string, change: { turn?: string; maxWaiting?: number } = {}) =>
  addSteering(context, {
    turn: "t",
    maxWaiting: 16,
    input: text(words),
    summary: words,
    subject: "ann",
    channel: "slack",
    ...change,
  });
const toEvent = (words: string) => makeEvent("t", { type: "steering", text: words });

function describeSteering(withDatabase: WithDatabase): void {
  test("[LC26] steering is for a turn that has begun and not ended; a suspended one counts as running", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      expect(steer(fixture, "early")).toEqual({ ok: false, failure: { kind: "not_running", state: "queued" } });
      expect(steer(fixture, "nobody", { turn: "x" })).toEqual({ ok: false, failure: { kind: "unknown" } });
      fixture.start("t");
      expect(steer(fixture, "one")).toMatchObject({ ok: true, value: { id: "t" } });
      expect(steer(fixture, "two", { maxWaiting: 1 })).toEqual({ ok: false, failure: { kind: "full" } });
      const journal = fixture.journal("t");
      const call = makeCall("t", 0);
      propose(journal, "t", { step: 1, calls: [call] });
      suspend(journal, { asked: [call] });
      expect(steer(fixture, "two").ok).toBe(true);
      decide(fixture, call, { decision: "deny" });
      fixture.seal("t");
      expect(steer(fixture, "late")).toEqual({ ok: false, failure: { kind: "not_running", state: "failed" } });
    }));

  test("[LC26][HC11] what waits enters history once, in order, each message its own, with its event", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      expect([journal.hasSteering(), journal.takeSteering(toEvent)]).toEqual([false, []]);
      for (const words of ["first", "second"]) steer(fixture, words);
      expect(journal.hasSteering()).toBe(true);
      const wakes = fixture.wakes();
      const entries = journal.takeSteering(toEvent);
      expect(fixture.wakes()).toBe(wakes + 1);
      expect(entries).toEqual(["first", "second"].map((words) => ({ kind: "user", turn: "t", parts: text(words) })));
      expect(journal.history().slice(1)).toEqual(entries);
      expect(readLog(sql).slice(-2)).toMatchObject([{ text: "first" }, { text: "second" }]);
      expect([journal.hasSteering(), journal.takeSteering(toEvent)]).toEqual([false, []]);
    }));

  test("[G12] steering and notes never enter an open round", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal } = openBatch(fixture, 1);
      steer(fixture, "wait");
      const before = readTables(sql);
      expect(() => journal.takeSteering(toEvent)).toThrow("open round");
      expect(() => journal.appendNotes([{ kind: "note", turn: "t", text: "n" }])).toThrow("open round");
      expect(readTables(sql)).toEqual(before);
      journal.settleUnrun([endAs(makeCall("t", 0), "denied")]);
      fixture.seal("t");
      expectSound(sql);
    }));

  test("[LC8] a note stands where it was made", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      journal.openStep({ step: 1, attempt: 1 });
      journal.appendNotes([{ kind: "note", turn: "t", text: "again, please" }]);
      expect(journal.history().at(-1)).toEqual({ kind: "note", turn: "t", text: "again, please" });
      finish(journal, "t");
      expect(() => journal.appendNotes([])).toThrow("no longer");
    }));

  test.each(["finished", "sealed"])(
    "[LC27] of a turn that is %s, each message left over becomes a queued turn, once",
    (how) =>
      withDatabase(({ sql }) => {
        const fixture = openFixture(sql);
        fixture.accept("t", { narrowing: { excludedTools: ["shell"] } });
        fixture.start("t");
        for (const words of ["first", "x".repeat(600_000)]) steer(fixture, words);
        if (how === "finished") finish(fixture.journal("t"), "t");
        else fixture.seal("t");
        expect(countQueued(sql)).toBe(2);
        expect(findNextQueued(sql)?.turn).toMatchObject({
          id: "trn_2",
          state: "queued",
          entry: "steering",
          agent: "ada",
          subject: "ann",
          channel: "slack",
          narrowing: { excludedTools: ["shell"] },
        });
        expect([readInput(sql, 2), readInput(sql, 3)]).toEqual([text("first"), text("x".repeat(600_000))]);
        const [last, accepted] = readLog(sql).slice(-3);
        expect(last).toMatchObject({ type: "turn_finished", turn: "t" });
        expect(accepted).toMatchObject({ type: "turn_accepted", turn: "trn_2", entry: "steering", input: "first" });
        expect(sql.all("SELECT n FROM steering")).toEqual([]);
        for (const id of ["trn_2", "trn_3"]) {
          expect(fixture.start(id)).toBe(true);
          finish(fixture.journal(id), id);
        }
        expectSound(sql);
      }),
  );
}

function describeBusy(withDatabase: WithDatabase): void {
  test("[LC28] steer gives the input to the turn under way, once per key; with none under way it is a turn", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const keyed = { idempotencyKey: "k", fingerprint: "f" };
      expect(fixture.accept("t", { onBusy: "steer" })).toMatchObject({ ok: true, value: { turn: { id: "t" } } });
      fixture.start("t");
      const steered = { repeated: false, after: 2, turn: { id: "t" } };
      expect(fixture.accept("u", { onBusy: "steer", ...keyed })).toMatchObject({ ok: true, value: steered });
      expect(fixture.accept("u", { onBusy: "steer", ...keyed })).toMatchObject({ value: { repeated: true } });
      expect(fixture.accept("u", { onBusy: "steer", maxQueued: 1 })).toEqual({ ok: false, failure: "queue_full" });
      const journal = fixture.journal("t");
      expect(journal.takeSteering(toEvent)).toEqual([{ kind: "user", turn: "t", parts: text("hello u") }]);
      expect(findTurn(sql, "u")).toBeUndefined();
    }));

  test("[LC28] interrupt marks the turn under way and waits for its end; a refusal marks nothing", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 1);
      suspend(journal, { asked: calls });
      expect(fixture.accept("u", { onBusy: "interrupt", maxQueued: 0 })).toEqual({ ok: false, failure: "queue_full" });
      expect(findTurn(sql, "t")?.cancelAsked).toBe(false);
      expect(fixture.accept("u", { onBusy: "interrupt" })).toMatchObject({ ok: true, value: { turn: { id: "u" } } });
      expect(findTurn(sql, "t")).toMatchObject({ cancelAsked: true, cancelReason: "interrupt" });
      expect(readLog(sql).slice(-2)).toMatchObject([
        { type: "approval_decided", provenance: "superseded" },
        { type: "turn_accepted", turn: "u" },
      ]);
      expect(fixture.start("u")).toBe(false);
    }));

  test("[G11] a queued turn that is cancelled has ended at once and never starts; its words stay", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      fixture.accept("u");
      expect(askCancel(fixture.context, { turn: "u", reason: "cancel" })?.state).toBe("cancelled");
      expect(findTurn(sql, "u")).toMatchObject({ summary: { outcome: "cancelled", reason: "cancel", iterations: 0 } });
      expect(readLog(sql, "u").map(({ type }) => type)).toEqual(["turn_accepted", "turn_finished"]);
      finish(fixture.journal("t"), "t");
      expect(findNextQueued(sql)).toBeUndefined();
      expect(readHistory(sql, { turn: 2, frame: "", maxBytes: 1e9 })).toEqual([
        { kind: "user", turn: "t", parts: text("hello t") },
        assistant("t", "done"),
        { kind: "user", turn: "u", parts: text("hello u") },
      ]);
      expectSound(sql);
    }));
}

export function describeStoredMessages(withDatabase: WithDatabase): void {
  describe("offers", () => {
    describeOffers(withDatabase);
  });
  describe("answers", () => {
    describeAnswers(withDatabase);
  });
  describe("steering", () => {
    describeSteering(withDatabase);
  });
  describe("a busy conversation", () => {
    describeBusy(withDatabase);
  });
}
