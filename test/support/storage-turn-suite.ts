/** Storage suite, turns: acceptance, order, events, receipts, the end. */
import { describe, expect, test } from "vitest";
import { headAfter } from "../../src/receipts/sign.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { readEventFloor } from "../../src/storage/conversation-store.ts";
import { lastEventSeq, readEvents } from "../../src/storage/event-store.ts";
import { readHistory, readInput } from "../../src/storage/message-store.ts";
import { findReceipt, listReceipts, openScope, readScopeSalt } from "../../src/storage/receipt-store.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { findActiveTurn, findNextQueued, findTurn, listTurns } from "../../src/storage/turn-store.ts";
import { encodeJson } from "../../src/storage/utf8.ts";
import { expectSound, readLog } from "./storage-checker.ts";
import {
  assistant,
  begin,
  conversation,
  finish,
  makeCall,
  makeEvent,
  makeOutcome,
  openFixture,
  propose,
  readTables,
  runToolTurn,
  settle,
  signNext,
  toolEntry,
  usage,
  type WithDatabase,
} from "./storage-fixture.ts";

const day = 24 * 60 * 60 * 1000;
const keyed = { idempotencyKey: "k", fingerprint: "f" };

function describeAcceptance(withDatabase: WithDatabase): void {
  test("[G1] the same key and body is the same turn, and writes nothing", () =>
    withDatabase(({ sql, written }) => {
      const fixture = openFixture(sql);
      const first = fixture.accept("one", keyed);
      const before = written();
      const again = fixture.accept("two", keyed);
      expect(written()).toBe(before);
      expect(first.ok && again.ok && again.value).toMatchObject({ turn: { id: "one" }, after: 0, repeated: true });
      fixture.start("one");
      finish(fixture.journal("one"), "one");
      expect(fixture.accept("three", keyed)).toMatchObject({
        value: { turn: { id: "one", state: "completed" } },
      });
    }));

  test("[G1] the same key with another body is a mismatch, with another principal or after a day a new turn", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one", keyed);
      expect(fixture.accept("two", { idempotencyKey: "k", fingerprint: "other" })).toEqual({
        ok: false,
        failure: "mismatch",
      });
      expect(fixture.accept("three", { ...keyed, subject: "somebody" })).toMatchObject({
        value: { repeated: false },
      });
      fixture.wait(day - 1);
      expect(fixture.accept("four", keyed)).toMatchObject({ value: { turn: { id: "one" } } });
      fixture.wait(1);
      expect(fixture.accept("five", keyed)).toMatchObject({
        value: { turn: { id: "five" }, repeated: false },
      });
    }));

  test("[DU44] keys past their day go at the next accept", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      for (const key of ["a", "b", "c"]) fixture.accept(key, { idempotencyKey: key, fingerprint: "f" });
      fixture.wait(day);
      fixture.accept("d", { idempotencyKey: "d", fingerprint: "f" });
      expect(sql.all("SELECT key FROM idem")).toEqual([{ key: "d" }]);
    }));

  test("[G12] a full queue and a caller that would not wait are refused, with nothing written", () =>
    withDatabase(({ sql, written }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.accept("two");
      const before = written();
      expect(fixture.accept("three", { maxQueued: 2 })).toEqual({ ok: false, failure: "queue_full" });
      expect(fixture.accept("three", { onBusy: "reject" })).toEqual({ ok: false, failure: "busy" });
      expect(written()).toBe(before);
      fixture.start("one");
      expect(fixture.accept("three", { maxQueued: 2 })).toMatchObject({ ok: true });
    }));

  test("[G12] one turn runs at a time, in the order of acceptance, and starts once", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      for (const id of ["one", "two"]) fixture.accept(id);
      expect(findNextQueued(sql)?.turn.id).toBe("one");
      expect(readInput(sql, 2)).toEqual([{ type: "text", text: "hello two" }]);
      expect(readInput(sql, 3)).toEqual([]);
      expect(findActiveTurn(sql)).toBeUndefined();
      expect(fixture.start("one")).toBe(true);
      expect(fixture.start("one")).toBe(false);
      expect(fixture.start("two")).toBe(false);
      expect(findActiveTurn(sql)?.turn.id).toBe("one");
      finish(fixture.journal("one"), "one");
      expect(findNextQueued(sql)?.turn.id).toBe("two");
      expect(fixture.start("two")).toBe(true);
      expect(listTurns(sql, { limit: 5 }).map(({ turn }) => turn.state)).toEqual(["running", "completed"]);
      expect(listTurns(sql, { before: 2, limit: 5 }).map(({ turn }) => turn.id)).toEqual(["one"]);
    }));

  test("[SE59] a page of turns ends at about 4 MiB wherever its texts lie, and holds one turn at least", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const mebibytes = [3, 5, 3, 0.2, 0.2];
      for (const [index, size] of mebibytes.entries()) {
        const id = `t${index + 1}`;
        fixture.accept(id);
        fixture.start(id);
        finish(fixture.journal(id), id, "x".repeat(size * 1024 * 1024));
      }
      const page = (before?: number): number[] =>
        listTurns(sql, { limit: 9, ...(before === undefined ? {} : { before }) }).map(({ turn }) => turn.n);
      expect([page(), page(3), page(2), page(1)]).toEqual([[5, 4, 3], [2], [1], []]);
      expect(listTurns(sql, { before: 3, limit: 1 })[0]?.summary?.text).toHaveLength(5 * 1024 * 1024);
    }));

  test("[G12] what waits in the queue is not history of the turn before it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      fixture.accept("two");
      const journal = fixture.journal("one");
      expect(journal.history().map(({ turn }) => turn)).toEqual(["one"]);
      finish(journal, "one");
      const later = fixture.journal("two").history();
      expect(later.map(({ kind, turn }) => `${kind} ${turn}`)).toEqual(["user one", "assistant one", "user two"]);
    }));
}

function describeLog(withDatabase: WithDatabase): void {
  test("[EV1] events are numbered from 1 and say their number, time and conversation", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const events = readEvents(sql, { after: 0, limit: 10 });
      expect(events.map(({ seq, type }) => [seq, type])).toEqual([
        [1, "turn_accepted"],
        [2, "turn_started"],
      ]);
      expect(JSON.parse(events[1]?.body ?? "")).toMatchObject({ seq: 2, at: 1_000_000, conversation });
      expect(lastEventSeq(sql)).toBe(2);
    }));

  test("[HC1] numbers go on behind the floor when every event has been cleaned up", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      for (const id of ["one", "two"]) fixture.accept(id);
      expect(readEventFloor(sql)).toBe(0);
      sql.run("DELETE FROM events");
      sql.run("INSERT INTO meta (k, v) VALUES ('event_floor', ?)", encodeJson(2));
      expect([readEventFloor(sql), lastEventSeq(sql)]).toEqual([2, 2]);
      expect(fixture.accept("three")).toMatchObject({ value: { after: 2 } });
      expect(readLog(sql).map(({ seq }) => seq)).toEqual([3]);
    }));

  test("[G4] a page ends at its limit and at 256 KiB, holds at least one event, and the next goes on behind it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const sizes = [100_000, 100_000, 100_000, 900_000, 10];
      const deltas = sizes.map((size) =>
        makeEvent("one", { type: "text_delta", text: "x".repeat(size), messageId: "m" }),
      );
      fixture.journal("one").appendEvents(deltas);
      const page = (after: number, limit = 100): number[] => readEvents(sql, { after, limit }).map(({ seq }) => seq);
      expect([page(0), page(4), page(5), page(6), page(7)]).toEqual([[1, 2, 3, 4], [5], [6], [7], []]);
      expect(page(0, 3)).toEqual([1, 2, 3]);
      const large: { text: string } = JSON.parse(readEvents(sql, { after: 5, limit: 1 })[0]?.body ?? "");
      expect(large.text).toHaveLength(900_000);
    }));

  test("[G4] a turn's events are its own, whatever was accepted between them", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      fixture.accept("two");
      finish(fixture.journal("one"), "one");
      fixture.start("two");
      expect(readLog(sql, "one").map(({ seq }) => seq)).toEqual([1, 2, 4]);
      expect(readLog(sql, "two").map(({ seq }) => seq)).toEqual([3, 5]);
      expect(readLog(sql, "nobody")).toEqual([]);
    }));

  test("[G3] the journal tells its watcher after the rows are there, and not when nothing was written", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const journal = fixture.journal("one");
      const call = makeCall("one", 0);
      propose(journal, "one", { step: 1, calls: [call] });
      expect(fixture.wakes()).toBe(1);
      begin(journal, call);
      expect(fixture.wakes()).toBe(2);
      begin(journal, call);
      expect(fixture.wakes()).toBe(2);
    }));
}

function describeReceipts(withDatabase: WithDatabase): void {
  test("[RE9] receipts are found by number and token, and with their call, with every field that was signed", () =>
    withDatabase(({ sql }) => {
      runToolTurn(openFixture(sql), "one", 2);
      const [first, second] = listReceipts(sql, { after: 0, limit: 10 });
      expect(first?.receipt.body).toMatchObject({ call: "call_one_0", seq: 1, prev: "genesis", tool: "weather" });
      expect(second?.receipt.body).toMatchObject(headAfter({ seq: 1, token: first?.receipt.token ?? "" }));
      expect(listReceipts(sql, { after: 1, limit: 10 })).toEqual([second]);
      expect(findReceipt(sql, second?.receipt.token ?? "")).toEqual(second);
      expect(findCall(sql, "call_one_0")?.outcome?.receipt).toEqual(first?.receipt);
      expect(findReceipt(sql, "zc-receipt-1-unknown")).toBeUndefined();
    }));

  test("[RE2] a scope's salt is made once, with the scope", () =>
    withDatabase(({ sql }) => {
      openFixture(sql);
      const salt = openScope(sql, "c/t", () => new Uint8Array([1, 2]));
      expect(openScope(sql, "c/t", () => new Uint8Array([3]))).toEqual(salt);
      expect(readScopeSalt(sql, "c/t")).toEqual(new Uint8Array([1, 2]));
      expect(readScopeSalt(sql, "c/u")).toBeUndefined();
    }));

  test("[RE3] the head survives a restart and the removal of old receipts", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      runToolTurn(fixture, "one", 2);
      fixture.accept("two");
      sql.run("DELETE FROM receipts");
      const last = { seq: 2, token: "zc-receipt-1000-2-call_one_1" };
      expect(openFixture(sql).journal("two").lastReceipt()).toEqual(last);
    }));

  test("[G15] a receipt over an old head, or for a call that did not succeed, is refused with everything beside it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const journal = fixture.journal("one");
      const calls = [makeCall("one", 0), makeCall("one", 1)] as const;
      propose(journal, "one", { step: 1, calls });
      for (const call of calls) begin(journal, call);
      const early = signNext(journal, "one", calls[1].callId);
      settle(journal, calls[0]);
      const before = readTables(sql);
      const result = { bytes: new Uint8Array(3), complete: true, chars: 3, digest: "raw" };
      const event = makeEvent("one", { type: "text_delta", text: "", messageId: "m" });
      const late = makeOutcome("x", early);
      expect(() => journal.settleCall({ call: calls[1], outcome: late, result, event })).toThrow("not the next");
      const failed = { ...makeOutcome("x", signNext(journal, "one", calls[1].callId)), disposition: "failed" } as const;
      expect(() => journal.settleCall({ call: calls[1], outcome: failed, result, event })).toThrow("no receipt");
      expect(readTables(sql)).toEqual(before);
    }));
}

function describeEnd(withDatabase: WithDatabase): void {
  test("[EV8] a turn ends once, with turn_finished as its last event", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      runToolTurn(fixture, "one", 1);
      const ended = findTurn(sql, "one");
      expect(ended).toMatchObject({ turn: { state: "completed" }, summary: { text: "done", usage } });
      expect(ended?.lastSeq).toBe(lastEventSeq(sql));
      const before = readTables(sql);
      expect(finish(fixture.journal("one"), "one", "again")).toBe(false);
      expect(readTables(sql)).toEqual(before);
      expectSound(sql);
    }));

  test("[EV8] an end without turn_finished, or with something behind it, is refused", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const summary = { outcome: "completed", text: "", usage, iterations: 1, receipts: [] } as const;
      const finished = makeEvent("one", { type: "turn_finished", ...summary });
      const delta = makeEvent("one", { type: "text_delta", text: "", messageId: "m" });
      for (const events of [[], [delta], [finished, delta], [finished, finished]]) {
        expect(() => fixture.journal("one").finish({ state: "completed", summary, entries: [], events })).toThrow(
          "turn_finished",
        );
      }
      expect(findTurn(sql, "one")?.turn.state).toBe("running");
    }));

  test("[DU4] once the turn has ended or another attempt has it, a writer changes nothing", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const journal = fixture.journal("one");
      const calls = [makeCall("one", 0), makeCall("one", 1)] as const;
      propose(journal, "one", { step: 1, calls });
      begin(journal, calls[0]);
      sql.run("UPDATE turns SET attempt = 2");
      const before = readTables(sql);
      expect(begin(journal, calls[1])).toBe(false);
      expect(settle(journal, calls[0])).toBeUndefined();
      expect(finish(journal, "one")).toBe(false);
      expect(() => journal.appendEvents([])).toThrow("no longer");
      expect(() => journal.openStep({ step: 2, attempt: 1 })).toThrow("no longer");
      expect(() => journal.settleUnrun([])).toThrow("no longer");
      expect(() => journal.appendRound({ step: 1, entries: [] })).toThrow("no longer");
      expect(() => propose(journal, "one", { step: 1, calls: [] })).toThrow("no longer");
      expect(readTables(sql)).toEqual(before);
    }));

  test("[G11] a cancel is remembered, asked once or twice, and not of a turn that has ended", () =>
    withDatabase(({ sql, written }) => {
      const fixture = openFixture(sql);
      fixture.accept("one");
      fixture.start("one");
      const journal = fixture.journal("one");
      expect(journal.cancelReason()).toBeUndefined();
      const ask = (turn: string, reason: "cancel" | "interrupt" = "cancel") =>
        askCancel(fixture.context, { turn, reason })?.state;
      expect(ask("one")).toBe("running");
      const before = written();
      expect(ask("one", "interrupt")).toBe("running");
      expect(written()).toBe(before);
      expect(findTurn(sql, "one")).toMatchObject({ cancelAsked: true, cancelReason: "cancel" });
      expect(fixture.journal("one").cancelReason()).toBe("cancel");
      finish(journal, "one");
      const ended = written();
      expect(ask("one")).toBe("completed");
      expect(ask("nobody")).toBeUndefined();
      expect(written()).toBe(ended);
    }));

  test("[DU3] history is read newest first up to its bound and begins with a question", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      for (const id of ["one", "two", "three"]) {
        fixture.accept(id, { input: [{ type: "text", text: "q".repeat(1000) }] });
        fixture.start(id);
        finish(fixture.journal(id), id, "a".repeat(1000));
      }
      const read = (maxBytes: number): string[] =>
        readHistory(sql, { turn: 3, frame: "", maxBytes }).map(({ kind, turn }) => `${kind} ${turn}`);
      expect(read(1e9)).toHaveLength(6);
      expect(read(4900)).toEqual(["user two", "assistant two", "user three", "assistant three"]);
      expect(read(3500)).toEqual(["user three", "assistant three"]);
      expect(read(10)).toEqual(["assistant three"]);
    }));

  test("[DU3] a bound inside a round leaves no result without its call", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("one", { input: [{ type: "text", text: "q".repeat(1000) }] });
      fixture.start("one");
      const journal = fixture.journal("one");
      const calls = [makeCall("one", 0)];
      propose(journal, "one", { step: 1, calls });
      const [call = makeCall("one", 0)] = calls;
      begin(journal, call);
      const outcome = settle(journal, call, "r".repeat(2000)) ?? makeOutcome("");
      journal.appendRound({
        step: 1,
        entries: [assistant("one", "a".repeat(2000), calls), toolEntry("one", call, outcome)],
      });
      const kinds = (maxBytes: number): string[] =>
        readHistory(sql, { turn: 1, frame: "", maxBytes }).map(({ kind }) => kind);
      expect(kinds(1e9)).toEqual(["user", "assistant", "tool"]);
      expect(kinds(4500)).toEqual(["assistant", "tool"]);
      expect(kinds(3000)).toEqual([]);
    }));
}

export function describeStoredTurns(withDatabase: WithDatabase): void {
  describe("acceptance", () => {
    describeAcceptance(withDatabase);
  });
  describe("the log", () => {
    describeLog(withDatabase);
  });
  describe("receipts", () => {
    describeReceipts(withDatabase);
  });
  describe("the end", () => {
    describeEnd(withDatabase);
  });
}
