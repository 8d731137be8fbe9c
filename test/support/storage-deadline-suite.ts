/** Storage suite, deadlines: each lives as long as what it belongs to, and the alarm is the first of them. */
import { expect, test } from "vitest";
import { addDeadlines, backOff, findNextDeadline, listDue } from "../../src/storage/deadline-store.ts";
import { heartbeatMs } from "../../src/storage/transactions/heartbeat.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { expectDeadlines } from "./storage-checker.ts";
import { finish, openFixture, type WithDatabase } from "./storage-fixture.ts";
import { decide, offer, openBatch, suspended } from "./storage-wait-fixture.ts";

/** The clock of a fixture at its start. */
const opened = 1_000_000;

export function describeDeadlines(withDatabase: WithDatabase): void {
  test("[G2][G10] a turn that could start has five seconds, one that runs its heartbeat; one behind it has its own when its time comes", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const starts = () => listDue(sql, Number.MAX_SAFE_INTEGER, 50).map(({ kind, ref, at }) => [kind, ref, at]);
      fixture.accept("one");
      fixture.wait(1000);
      for (const id of ["two", "three"]) fixture.accept(id);
      expect([starts(), fixture.alarmAt()]).toEqual([[["start", "one", opened + 5000]], opened + 5000]);
      fixture.start("one");
      const beat = opened + 1000 + heartbeatMs;
      expect([starts(), fixture.alarmAt()]).toEqual([[["heartbeat", "one", beat]], beat]);
      finish(fixture.journal("one"), "one");
      expect([starts(), fixture.alarmAt()]).toEqual([[["start", "two", opened + 6000]], opened + 6000]);
      askCancel(fixture.context, { turn: "two", reason: "cancel" });
      expect(starts()).toEqual([["start", "three", opened + 6000]]);
      askCancel(fixture.context, { turn: "three", reason: "cancel" });
      expect([starts(), fixture.alarmAt()]).toEqual([[], undefined]);
      expectDeadlines(sql);
    }));

  test("[G10] the alarm follows what is asked: set with the request, gone with the answer, and again with the next", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one, two } = suspended(fixture, { expiresAt: 7_000_000 });
      expect(fixture.alarmAt()).toBe(7_000_000);
      decide(fixture, one);
      expect(fixture.alarmAt()).toBe(7_000_000);
      decide(fixture, two);
      expect(fixture.alarmAt()).toBe(fixture.context.now() + heartbeatMs);
      expectDeadlines(sql);
    }));

  test("[G10][DU10] a sealed turn leaves no deadline, whatever it had offered", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      offer(journal, calls);
      expect(findNextDeadline(sql)).toBe(fixture.alarmAt());
      sql.run("UPDATE turns SET state = 'running'");
      fixture.seal("t");
      expect([findNextDeadline(sql), fixture.alarmAt()]).toEqual([undefined, undefined]);
    }));

  test("[DU26] a transaction that is rolled back takes its deadlines with it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      expect(() =>
        sql.transaction(() => {
          addDeadlines(fixture.context, [{ kind: "start", ref: "t", at: 5 }]);
          throw new Error("rolled back");
        }),
      ).toThrow("rolled back");
      expect(findNextDeadline(sql)).toBeUndefined();
    }));

  test("[DU24][DU26] due is what has come by the clock, oldest first, no more than asked for", () =>
    withDatabase(({ sql }) => {
      const { context } = openFixture(sql);
      const rows = [30, 10, 40, 20].map((at) => ({ kind: "client", ref: `at ${at}`, at }) as const);
      sql.transaction(() => addDeadlines(context, rows));
      const due = (now: number, limit = 50) => listDue(sql, now, limit).map(({ at }) => at);
      expect([due(9), due(10), due(35), due(40), due(40, 3)]).toEqual([
        [],
        [10],
        [10, 20, 30],
        [10, 20, 30, 40],
        [10, 20, 30],
      ]);
    }));

  test("[DU25] one that fails waits 5 s, then twice as long each time; the eighth failure parks it", () =>
    withDatabase(({ sql }) => {
      const { context } = openFixture(sql);
      sql.transaction(() => addDeadlines(context, [{ kind: "approval", ref: "apr", at: 0 }]));
      const waits: unknown[] = [];
      for (;;) {
        const [due] = listDue(sql, Number.MAX_SAFE_INTEGER, 50);
        if (due === undefined) break;
        waits.push([backOff(sql, due, due.at), (findNextDeadline(sql) ?? due.at) - due.at]);
        expect(backOff(sql, due, due.at)).toBe("gone");
      }
      const seconds = [5, 10, 20, 40, 80, 160, 320].map((secs) => ["waits", secs * 1000]);
      expect(waits).toEqual([...seconds, ["parked", 0]]);
      expect(findNextDeadline(sql)).toBeUndefined();
    }));
}
