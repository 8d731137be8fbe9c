/** Recovery: when a lost turn is taken up again, what it then knows, and when it is given up. */
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { isReset, planRecovery } from "../../durable-objects/recovery.ts";
import { crashScript } from "../support/crash-scripts.ts";
import type { CrashScript } from "../support/crash-script.ts";
import { CrashWorld } from "../support/crash-world.ts";
import { expectHistory, readWireLog } from "../support/history-checker.ts";
import type { Death } from "../support/mortal.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting } from "../support/test-tools.ts";

useStillClock();
// Hundreds of conversations are played from their beginning to their end.
vi.setConfig({ testTimeout: 60_000 });

async function crash(script: CrashScript, ...deaths: readonly Death[]): Promise<CrashWorld> {
  const world = new CrashWorld(script, deaths);
  await world.run();
  expectHistory(world);
  return world;
}
/** A script killed at each of its points, one after another. */
async function killEverywhere(name: string): Promise<readonly CrashWorld[]> {
  const worlds = [];
  for (let at = 1; ; at += 1) {
    const world = await crash(crashScript(name), { mode: "kill", at });
    if (!world.crashed) return worlds;
    worlds.push(world);
  }
}
const finishOf = (world: CrashWorld) => {
  const finished = readWireLog(world.sql).findLast(({ type }) => type === "turn_finished");
  if (finished?.type !== "turn_finished") throw new Error("no turn has ended");
  return finished;
};

describe("the plan", () => {
  const noProgressMs = 300_000;
  const now = 10_000_000;
  const at = (tries: number, { since = 0, triedAt = now } = {}) =>
    planRecovery({ tries, triedAt, progressAt: now - since }, { now, noProgressMs });

  test("[DU19] waits 0, 2, 10, 30, 60 and again 60 seconds", () => {
    const waits = [0, 1, 2, 3, 4, 5].map((tries) => at(tries));
    expect(waits[0]).toEqual({ kind: "now" });
    expect(waits.slice(1).map((plan) => ("at" in plan ? plan.at - now : plan.kind))).toEqual([
      2000, 10_000, 30_000, 60_000, 60_000,
    ]);
  });

  test("[DU19] is given up only after six tries and the whole time without progress", () => {
    fc.assert(
      fc.property(fc.nat(12), fc.nat(600_000), (tries, since) => {
        const sealed = at(tries, { since, triedAt: 0 }).kind === "seal";
        expect(sealed).toBe(tries >= 6 && since >= noProgressMs);
      }),
    );
  });

  test("[DU35] a reset is known by its words or its mark, and nothing else is one", () => {
    const words = ["code was updated", "has been upgraded", "Network connection lost", "no longer active"];
    for (const part of words) expect(isReset(new Error(`It ${part}.`))).toBe(true);
    expect(isReset(Object.assign(new Error("x"), { durableObjectReset: true }))).toBe(true);
    for (const other of [new Error("disk full"), undefined, null, "code was updated", {}])
      expect(isReset(other)).toBe(false);
  });
});

describe("a lost turn", { timeout: 60_000 }, () => {
  test("[DU10][CK14] that lost a call goes on without it, and nothing behind that call has run", async () => {
    const worlds = await killEverywhere("sequence");
    expect(worlds.map((world) => finishOf(world).outcome)).toEqual(worlds.map(() => "completed"));
    const lost = worlds.map((world) => ({
      ends: readWireLog(world.sql).flatMap((event) =>
        event.type === "tool_result" ? [`${event.call_id} ${event.disposition}`] : [],
      ),
      effects: world.effects.length,
    }));
    expect(lost).toContainEqual({
      ends: [
        "call_trn_1_1 succeeded",
        "call_trn_1_2 outcome_unknown",
        "call_trn_1_3 interrupted",
        "call_trn_1_4 succeeded",
      ],
      effects: 3,
    });
  });

  test("[G6] runs an idempotent call again, under the same key, and the rest of its batch", async () => {
    const worlds = await killEverywhere("idempotent");
    const keys = worlds.map(({ effects }) => new Set(effects.flatMap(({ key }) => key ?? [])).size);
    expect(keys).toEqual(worlds.map(() => 1));
    const repeated = worlds.map(({ effects }) => effects.map(({ tool }) => tool)).filter(({ length }) => length > 2);
    expect(repeated.length).toBeGreaterThan(0);
    expect(repeated).toEqual(repeated.map(() => ["again", "again", "plain"]));
  });

  test("[CK16] a delegate's call is never of unknown outcome once its frame is there", async () => {
    const framed = (await killEverywhere("delegate")).filter(
      ({ sql }) => sql.all("SELECT 1 FROM messages WHERE frame = 'call_trn_1_1' LIMIT 1").length > 0,
    );
    const ends = framed.map(({ sql }) => sql.all("SELECT disposition FROM calls WHERE call_id = 'call_trn_1_1'"));
    expect(ends.length).toBeGreaterThan(10);
    expect(ends).toEqual(ends.map(() => [{ disposition: "succeeded" }]));
  });

  test("[CK15] is not asked again for an answer that was stored, and a request that was cut off counts once", async () => {
    const worlds = await killEverywhere("plain");
    const answered = worlds.map(({ sql }) => readWireLog(sql).filter(({ type }) => type === "usage").length);
    expect(answered).toEqual(worlds.map(() => 2));
    expect(worlds.map((world) => finishOf(world).iterations)).toEqual(worlds.map(() => 2));
    expect(Math.max(...worlds.map(({ requests }) => requests.length))).toBe(3);
  });

  test("[DU21] whose request was cut off says that its usage is not exact", async () => {
    const calm = await crash(crashScript("text"));
    expect(finishOf(calm).usage.exact).toBe(true);
    const again = (await killEverywhere("text")).filter(({ requests }) => requests.length > 1);
    expect(again.length).toBeGreaterThan(3);
    expect(again.map((world) => finishOf(world).usage.exact)).toEqual(again.map(() => false));
  });

  test("[LC31] that cannot be taken up ends as a bug, and the next one runs", async () => {
    const script: CrashScript = {
      ...crashScript("queue"),
      afterCrash: (sql) =>
        void sql.run(
          "CREATE TRIGGER broken BEFORE INSERT ON events WHEN NEW.type = 'turn_recovered' BEGIN SELECT RAISE(ABORT, 'x'); END",
        ),
    };
    const world = new CrashWorld(script, [{ mode: "kill", at: 9 }]);
    await world.run();
    const ends = readWireLog(world.sql).flatMap((event) =>
      event.type === "turn_finished" ? [event.reason ?? event.outcome] : [],
    );
    expect(ends[0]).toBe("internal");
    expect(ends.slice(1).every((end) => end === "completed")).toBe(true);
    vi.mocked(console.error).mockClear();
  });

  test("[G11] that is to wait for its next try is closed at once when it is cancelled", async () => {
    const room = openSuspensionRoom();
    room.accept();
    room.sql.run("UPDATE turns SET state = 'running', tries = 4, tried_ms = ?, tried_seq = 99 WHERE n = 1", Date.now());
    room.cancel();
    await room.rest();
    expect(room.turn().state).toBe("cancelled");
  });
});

describe("an approval that nobody decides for a week", () => {
  const day = 86_400;
  const askAndLeave = async (timeoutSecs: number) => {
    const { tool, ran } = createNoting("asks");
    const room = openSuspensionRoom({ tools: [tool], risk: { approval_timeout_secs: timeoutSecs } });
    await room.run([calls({ name: "asks" }), says("Done.")]);
    room.evict();
    room.pass(7 * day * 1000);
    return { room, ran };
  };

  test("[G9] can still be decided if it has a month, and its call runs once", async () => {
    const { room, ran } = await askAndLeave(30 * day);
    await room.alarm();
    room.evict();
    expect([room.turn().state, room.asked().length]).toEqual(["suspended", 1]);
    const [approval = ""] = room.asked();
    expect(room.decide({ decision: "approve" }, approval).ok).toBe(true);
    expect(room.decide({ decision: "deny" }, approval).ok).toBe(false);
    await room.rest();
    expect([room.turn().state, ran.length]).toEqual(["completed", 1]);
  });

  test("[G9][G10] is expired by its alarm if it had a day, and nothing runs", async () => {
    const { room, ran } = await askAndLeave(day);
    expect(room.alarmAt()).toBeLessThan(Date.now());
    await room.alarm();
    await room.rest();
    expect([room.turn().state, ran.length]).toEqual(["completed", 0]);
    expect(room.sql.all("SELECT state FROM approvals")).toEqual([{ state: "expired" }]);
    expect(room.alarmAt()).toBeUndefined();
  });
});

describe("deaths in a row", () => {
  test.each(["reset", "kill"] as const)(
    "[DU49] ten times at the same point (%s): one end all the same",
    async (mode) => {
      const ends: string[] = [];
      for (let at = 1; at < 120; at += 3) {
        const world = await crash(crashScript("plain"), ...Array.from({ length: 10 }, () => ({ mode, at })));
        if (world.accepted) ends.push(finishOf(world).outcome);
      }
      expect(ends.length).toBeGreaterThan(20);
      expect(ends.filter((end) => end !== "completed" && end !== "failed")).toEqual([]);
    },
    60_000,
  );

  test("[DU17] an object that cannot boot with its turn gives the turn up at the third boot", async () => {
    // The first dies in the turn, the next ones between counting the boot and having taken the turn up.
    const world = await crash(
      crashScript("text"),
      { mode: "kill", at: 6 },
      { mode: "kill", at: 2 },
      { mode: "kill", at: 2 },
    );
    expect(finishOf(world)).toMatchObject({ outcome: "failed", reason: "recovery_exhausted" });
  });
});
