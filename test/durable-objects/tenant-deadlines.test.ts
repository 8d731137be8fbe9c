/** The tenant's alarm over node:sqlite: bounded runs, one failure at a time, nothing forgotten. */
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ObjectAlarm } from "../../durable-objects/object-alarm.ts";
import { type DeadlineParts, meetDue } from "../../durable-objects/tenant-deadlines.ts";
import { migrate } from "../../src/storage/migrations.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { readBudget } from "../../src/storage/tenant/budget-store.ts";
import { buryConversation } from "../../src/storage/tenant/conversation-index.ts";
import { findNextDeadline } from "../../src/storage/tenant/deadline-store.ts";
import { leaseMs, reserveBudget } from "../../src/storage/tenant/reservation-store.ts";
import { tenantMigrations } from "../../src/storage/tenant/tenant-schema.ts";
import { createNodeSqlPort } from "../support/node-sql-port.ts";
import { noon } from "../support/tenant-fixture.ts";

const dayMs = 86_400_000;
const limits = { dailyLimitUsd: 1000, monthlyLimitUsd: 1000 };
const idOf = (n: number): string => `conversation_${String(n).padStart(4, "0")}`;

interface Room {
  readonly sql: SqlPort;
  readonly erased: string[];
  readonly codes: string[];
  /** What the alarm was set to, oldest first. */
  readonly armed: (number | undefined)[];
  /** Lets time pass up to the next alarm and runs it; false when none is set. */
  readonly ring: () => Promise<boolean>;
  /** Runs it at this time. */
  readonly ringAt: (now: number) => Promise<void>;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: noon }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const emptyDatabase = (): SqlPort => createNodeSqlPort(new DatabaseSync(":memory:"));
function tenantDatabase(): SqlPort {
  const sql = emptyDatabase();
  migrate(sql, noon, tenantMigrations);
  return sql;
}

function createRoom(change: Partial<DeadlineParts> = {}, sql = tenantDatabase()): Room {
  const room = { sql, erased: [] as string[], codes: [] as string[], armed: [] as (number | undefined)[] };
  const storage = {
    setAlarm: async (at: number | Date) => void room.armed.push(Number(at)),
    deleteAlarm: async () => void room.armed.push(undefined),
    getAlarm: async () => room.armed.at(-1) ?? null,
  };
  const alarm = new ObjectAlarm({ storage, next: () => findNextDeadline(sql) });
  const parts: DeadlineParts = {
    sql,
    now: () => Date.now(),
    erase: async (conversation) => {
      room.erased.push(conversation);
    },
    log: (_level, code) => room.codes.push(code),
    ...change,
  };
  const ringAt = async (now: number): Promise<void> => {
    vi.setSystemTime(now);
    await alarm.ring(0, () => meetDue(parts));
  };
  const ring = async (): Promise<boolean> => {
    const at = room.armed.at(-1);
    if (at !== undefined) await ringAt(at);
    return at !== undefined;
  };
  return { ...room, ring, ringAt };
}

const reserve = (sql: SqlPort, n: number, now = noon): void => {
  reserveBudget(sql, idOf(n), { request: { reservation: "r", estimateUsd: 1, limits }, now });
};

describe("the alarm", () => {
  test("[DU24] the dead man's switch comes first, the earliest of the rest last", async () => {
    const room = createRoom();
    reserve(room.sql, 1);
    reserve(room.sql, 2, noon + 1000);
    await room.ringAt(noon + leaseMs);
    expect(room.armed).toEqual([noon + leaseMs + 60_000, noon + leaseMs + 1000]);
    expect(readBudget(room.sql, noon).today).toMatchObject({ lapsedUsd: 1, heldUsd: 1 });
  });

  test("[DU26] what is not due is left alone, and an alarm that comes late takes all that is", async () => {
    const room = createRoom();
    for (const n of [1, 2, 3]) reserve(room.sql, n, noon + n);
    await room.ringAt(noon + leaseMs);
    expect(readBudget(room.sql, noon).today.lapsedUsd).toBe(0);
    await room.ringAt(noon + leaseMs + 60_000);
    expect(readBudget(room.sql, noon).today.lapsedUsd).toBe(3);
    expect(room.armed.at(-1)).toBeUndefined();
  });

  test("[DU24] a run takes 50, oldest first, and rings again at once for the rest", async () => {
    const room = createRoom();
    for (let n = 0; n < 120; n += 1) reserve(room.sql, n, noon + n);
    const now = noon + leaseMs + 120;
    const lapsed: number[] = [];
    for (const _ of [1, 2, 3]) {
      await room.ringAt(now);
      lapsed.push(readBudget(room.sql, noon).today.lapsedUsd);
    }
    expect(lapsed).toEqual([50, 100, 120]);
    expect(room.armed.filter((_, at) => at % 2 === 1)).toEqual([noon + leaseMs + 50, noon + leaseMs + 100, undefined]);
  });

  test("[DU25] a row that nobody can read delays no other, backs off, and is parked after 8 tries", async () => {
    const room = createRoom();
    const poison = (ref: string, kind: string): boolean =>
      room.sql.run("INSERT INTO deadlines (kind, ref, at_ms, tries) VALUES (?, ?, ?, 0)", kind, ref, noon);
    poison("no slash", "lease");
    poison("", "of a later release");
    for (let n = 0; n < 20; n += 1) reserve(room.sql, n);
    await room.ringAt(noon + leaseMs);
    expect(readBudget(room.sql, noon).today.lapsedUsd).toBe(20);
    expect(room.codes).toEqual(["deadline_failed", "deadline_failed"]);
    const waits = [room.armed.at(-1)];
    while (await room.ring()) waits.push(room.armed.at(-1));
    const gaps = waits.slice(1, -1).map((at, index) => (at ?? 0) - (waits[index] ?? 0));
    expect(gaps).toEqual([10, 20, 40, 80, 160, 320].map((secs) => secs * 1000));
    expect(room.codes.filter((code) => code === "deadline_parked")).toHaveLength(2);
    expect(room.armed.at(-1)).toBeUndefined();
  });

  test("[DU23] it never rejects, and stays armed when its first read fails", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    const room = createRoom({}, emptyDatabase());
    await room.ringAt(noon);
    expect(room.armed).toEqual([noon + 60_000]);
    expect(error.mock.calls.join()).toContain("alarm_failed");
  });
});

describe("erasures", () => {
  test("[DU46] a deleted conversation is erased at once, and not a second time", async () => {
    const room = createRoom();
    buryConversation(room.sql, idOf(1), noon);
    await room.ringAt(noon);
    expect(room.erased).toEqual([idOf(1)]);
    expect(room.armed.at(-1)).toBe(noon + dayMs);
    while (await room.ring()) expect(room.erased).toEqual([idOf(1)]);
  });

  test("[DU46] one that cannot be reached is tried until it can, over the days if it must be", async () => {
    let reachable = false;
    const tried: string[] = [];
    const room = createRoom({
      erase: async (conversation) => {
        tried.push(conversation);
        if (!reachable) throw new Error("Network connection lost.");
      },
    });
    buryConversation(room.sql, idOf(1), noon);
    await room.ringAt(noon);
    while (tried.length < 12) await room.ring();
    reachable = true;
    while (await room.ring());
    expect(tried).toHaveLength(13);
    expect(room.codes.filter((code) => code === "deadline_parked")).toHaveLength(1);
    expect(room.sql.all("SELECT 1 FROM deadlines")).toEqual([]);
  });
});
