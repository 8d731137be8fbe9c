/** Deadlines that are due: what each does, and what one that cannot be dealt with does to the others. */
import { describe, expect, test, vi } from "vitest";
import { ObjectAlarm } from "../../durable-objects/object-alarm.ts";
import { countParked, findNextDeadline, listDue } from "../../src/storage/deadline-store.ts";
import { insertRow } from "../../src/storage/rows.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectDeadlines, readLog } from "../support/storage-checker.ts";
import { type SuspensionRoom, openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const minute = 60_000;
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));

/** A deadline that no handler of this release can deal with. */
const addPoison = ({ sql }: SuspensionRoom, ref: string, at = Date.now()): void =>
  insertRow(sql, "deadlines", { kind: "of_another_release", ref, at_ms: at, tries: 0, parked: 0 });

describe("what is due", () => {
  test("[G2][G10] a queued turn that nobody started is started by the alarm", async () => {
    const room = openSuspensionRoom();
    room.provider.script(says("done"));
    room.accept("hello");
    expect([room.turn().state, room.alarmAt()]).toEqual(["queued", Date.now() + 5000]);
    room.pass(5000);
    await room.alarm();
    await room.rest();
    expect([room.turn().state, room.alarmAt()]).toEqual(["completed", undefined]);
  });

  test("[DU45] whatever a turn was and however it ended, no deadline is left of it", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")], clientTools: ["there"] });
    await room.run([ask(1), says("one")]);
    room.post("two");
    room.decide({ decision: "deny" });
    room.provider.script(calls({ name: "there", args: {} }));
    await room.rest();
    expectDeadlines(room.sql);
    room.cancel("trn_2");
    await room.rest();
    expect([room.turn("trn_2").state, findNextDeadline(room.sql), room.alarmAt()]).toEqual([
      "cancelled",
      undefined,
      undefined,
    ]);
  });
});

describe("a deadline that fails", () => {
  test("[DU25] delays no other, although it comes first and its request cannot even be read", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    await room.run([ask(1, 2)]);
    const [first = ""] = room.asked();
    room.sql.run("UPDATE approvals SET request = ? WHERE approval_id = ?", new Uint8Array([123]), first);
    addPoison(room, "unheard of");
    room.pass(2 * minute);
    await room.alarm();
    await room.rest();
    expect(readLog(room.sql).flatMap(({ disposition = [] }) => disposition)).toEqual(["expired"]);
    expect(room.alarmAt()).toBe(Date.now() + 5000);
  });

  test("[DU25] is tried again, each time later, parked after the eighth time, counted and logged", async () => {
    const room = openSuspensionRoom();
    addPoison(room, "unheard of");
    const gaps: number[] = [];
    for (let at: number | undefined = Date.now(); at !== undefined; at = room.alarmAt()) {
      gaps.push((at - Date.now()) / 1000);
      room.pass(at - Date.now());
      await room.alarm();
    }
    expect(gaps).toEqual([0, 5, 10, 20, 40, 80, 160, 320]);
    expect(countParked(room.sql)).toBe(1);
    expect(vi.mocked(console.error).mock.lastCall?.[0]).toContain('"code":"deadline_parked"');
  });

  test("[DU24] no more than fifty are dealt with at once; what is left over is due at once", async () => {
    const room = openSuspensionRoom();
    for (let n = 0; n < 60; n += 1) addPoison(room, `poison ${n}`, n);
    await room.alarm();
    expect(listDue(room.sql, Date.now(), 99).map(({ ref }) => ref)).toEqual(
      Array.from({ length: 10 }, (_, n) => `poison ${n + 50}`),
    );
    expect(room.alarmAt()).toBe(50);
  });
});

describe("the handler", () => {
  /** The platform's alarm, which may refuse to be set. */
  function openAlarm({ refuses = false, next = (): number | undefined => undefined } = {}) {
    const set: (number | null)[] = [];
    const note = (at: number | null): Promise<void> => {
      set.push(at);
      return refuses ? Promise.reject(new Error("no storage")) : Promise.resolve();
    };
    const storage = {
      setAlarm: (at: number | Date) => note(Number(at)),
      deleteAlarm: () => note(null),
      getAlarm: () => Promise.resolve(set.at(-1) ?? null),
    };
    return { set, alarm: new ObjectAlarm({ storage, next }) };
  }

  test("[DU24] sets the alarm for in a minute before it does anything, and at its end for the first deadline", async () => {
    const { alarm, set } = openAlarm({ next: () => 7 });
    await alarm.ring(0, async () => {
      expect(set).toEqual([Date.now() + minute]);
      alarm.set(99);
    });
    expect(set).toEqual([Date.now() + minute, 7]);
  });

  test("[DU23][DU24] whatever is thrown in it, it does not throw, and the alarm stays set", async () => {
    for (const retryCount of [0, 5]) {
      const { alarm, set } = openAlarm();
      await alarm.ring(retryCount, () => Promise.reject(new Error("nothing can be read")));
      expect(set).toEqual([Date.now() + minute]);
      alarm.set(5);
      expect(set.at(-1)).toBe(5);
    }
  });

  test("[DU23] with no alarm to be had it leaves the retry to the platform, while that has one left", async () => {
    const early = openAlarm({ refuses: true });
    await expect(early.alarm.ring(4, () => Promise.resolve())).rejects.toThrow("no storage");
    const last = openAlarm({ refuses: true });
    await last.alarm.ring(5, () => Promise.resolve());
    expect(last.set).toEqual([Date.now() + minute, Date.now() + minute]);
  });
});
