/** The budget of a tenant, for any SQLite: reservations balance whatever happens in whatever order. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BudgetLimits, Projection, Spend, UsageQuery } from "../../src/contracts/tenant.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { readBudget } from "../../src/storage/tenant/budget-store.ts";
import { findNextDeadline, listDue, splitRef } from "../../src/storage/tenant/deadline-store.ts";
import { projectFacts } from "../../src/storage/tenant/project-facts.ts";
import {
  commitSpend,
  lapseReservation,
  leaseMs,
  releaseReservation,
  renewReservation,
  reserveBudget,
} from "../../src/storage/tenant/reservation-store.ts";
import { emptyUsage, readUsage } from "../../src/storage/tenant/usage-store.ts";
import { noon, withTenantDatabase } from "./tenant-fixture.ts";
import type { WithDatabase } from "./storage-fixture.ts";

const conversation = "conversation_of_a_tenant";
const limits: BudgetLimits = { dailyLimitUsd: 10, monthlyLimitUsd: 25 };
const dayMs = 86_400_000;

const reserveAt = (now: number) => (sql: SqlPort, reservation: string, estimateUsd: number) =>
  reserveBudget(sql, conversation, { request: { reservation, estimateUsd, limits }, now });
const reserve = reserveAt(noon);
const commit = (sql: SqlPort, spend: Partial<Spend> & { readonly reservation: string }, now = noon): void =>
  commitSpend(sql, conversation, { spend: { agent: "assistant", estimateUsd: 1, ...spend }, now });
const release = (sql: SqlPort, id: string, now = noon): void => releaseReservation(sql, { conversation, id }, now);
/** What the alarm does with leases that are over. */
function lapseDue(sql: SqlPort, now: number): void {
  for (const { kind, ref } of listDue(sql, now)) if (kind === "lease") lapseReservation(sql, splitRef(ref));
}

export function describeTenantBudget(withDatabase: WithDatabase, runs: number): void {
  const withTenant = withTenantDatabase(withDatabase);

  describe("reservations", () => {
    test("[SE80] what is reserved counts as spent until it is given back, per day", () =>
      withTenant((sql) => {
        expect(reserve(sql, "a", 6)).toEqual({ granted: true, state: "held" });
        const tomorrow = Date.UTC(2026, 10, 16);
        expect(reserve(sql, "b", 6)).toEqual({ granted: false, until: tomorrow });
        commit(sql, { reservation: "a", costUsd: 1 });
        expect(reserve(sql, "b", 6)).toEqual({ granted: true, state: "held" });
        expect(reserve(sql, "c", 3)).toEqual({ granted: true, state: "held" });
        expect(reserve(sql, "d", 0)).toEqual({ granted: false, until: tomorrow });
        expect(reserveAt(tomorrow)(sql, "d", 0)).toEqual({ granted: true, state: "held" });
      }));

    test("[SE80] the month holds beside the day, and ends with the month", () =>
      withTenant((sql) => {
        for (const day of [0, 1]) commit(sql, { reservation: `d${day}`, costUsd: 10 }, noon + day * dayMs);
        const nextMonth = Date.UTC(2026, 11, 1);
        expect(reserveAt(noon + 2 * dayMs)(sql, "over", 6)).toEqual({ granted: false, until: nextMonth });
        expect(reserveAt(noon + 2 * dayMs)(sql, "under", 5)).toEqual({ granted: true, state: "held" });
        expect(reserveAt(nextMonth)(sql, "over", 6)).toEqual({ granted: true, state: "held" });
      }));

    test("[SE85] an estimate that is no amount is never granted; a cost that is none is the whole reservation", () =>
      withTenant((sql) => {
        for (const estimate of [Number.NaN, -1, Number.POSITIVE_INFINITY, 1e300]) {
          expect(reserve(sql, "bad", estimate).granted).toBe(false);
        }
        for (const [id, costUsd] of [
          ["nan", Number.NaN],
          ["minus", -3],
          ["huge", 1e300],
        ] as const) {
          reserve(sql, id, 2);
          commit(sql, { reservation: id, costUsd });
        }
        expect(readBudget(sql, noon).today).toMatchObject({ committedUsd: 6, heldUsd: 0 });
      }));

    test("[SE81] usage that no provider reported is charged as it was reserved", () =>
      withTenant((sql) => {
        reserve(sql, "silent", 4);
        commit(sql, { reservation: "silent" });
        commit(sql, { reservation: "never reserved", estimateUsd: 0.5 });
        expect(readBudget(sql, noon).today.committedUsd).toBe(4.5);
      }));

    test("[DU42] each verb again has the effect of one", () =>
      withTenant((sql) => {
        for (const _ of [1, 2]) reserve(sql, "a", 3);
        expect(readBudget(sql, noon).today.reservedUsd).toBe(3);
        for (const costUsd of [1, 2]) commit(sql, { reservation: "a", costUsd });
        release(sql, "a");
        expect(reserve(sql, "a", 3)).toEqual({ granted: true, state: "settled" });
        expect(readBudget(sql, noon).today).toEqual({
          reservedUsd: 3,
          heldUsd: 0,
          committedUsd: 1,
          releasedUsd: 2,
          lapsedUsd: 0,
        });
        release(sql, "late");
        expect(reserve(sql, "late", 3)).toEqual({ granted: true, state: "settled" });
        expect(readBudget(sql, noon).today.reservedUsd).toBe(3);
      }));

    test("[DU42] a lease is renewed, or lapses and is charged in full until the true figure comes", () =>
      withTenant((sql) => {
        reserve(sql, "a", 3);
        expect(findNextDeadline(sql)).toBe(noon + leaseMs);
        expect(renewReservation(sql, { conversation, id: "a" }, noon + 60_000)).toBe("held");
        lapseDue(sql, noon + leaseMs);
        expect(readBudget(sql, noon).today).toMatchObject({ heldUsd: 3, lapsedUsd: 0 });
        lapseDue(sql, noon + leaseMs + 60_000);
        expect(readBudget(sql, noon).today).toMatchObject({ heldUsd: 0, lapsedUsd: 3 });
        expect(renewReservation(sql, { conversation, id: "a" }, noon + dayMs)).toBe("lapsed");
        expect(findNextDeadline(sql)).toBeUndefined();
        commit(sql, { reservation: "a", costUsd: 0.25 }, noon + dayMs);
        expect(readBudget(sql, noon).today).toMatchObject({ committedUsd: 0.25, releasedUsd: 2.75, lapsedUsd: 0 });
        expect(readBudget(sql, noon + dayMs).today.committedUsd).toBe(0);
        expect(renewReservation(sql, { conversation, id: "nobody" }, noon)).toBeUndefined();
      }));

    test("[DU42] one conversation's reservation is nobody else's", () =>
      withTenant((sql) => {
        reserve(sql, "a", 3);
        releaseReservation(sql, { conversation: "another_conversation", id: "a" }, noon);
        expect(readBudget(sql, noon).today.heldUsd).toBe(3);
      }));
  });

  describe("usage", () => {
    test("[SE80] true figures add up by day and agent, once each", () =>
      withTenant((sql) => {
        const tokens = { inputTokens: 10, outputTokens: 5, cachedTokens: 2, reasoningTokens: 1 };
        const answered = (seq: number, at = noon, inputTokens = 10): Projection => ({
          seq,
          at,
          kind: "usage",
          agent: "assistant",
          tokens: { ...tokens, inputTokens },
        });
        for (const reservation of ["a", "b", "b"]) commit(sql, { reservation, costUsd: 0.1 });
        commit(sql, { reservation: "c", agent: "clerk", costUsd: 1 });
        projectFacts(sql, conversation, [answered(3), answered(5)]);
        // What got no answer is told again, with what has come since; and the first telling may arrive last.
        projectFacts(sql, conversation, [answered(3), answered(5), answered(8, noon + dayMs, -7)]);
        projectFacts(sql, conversation, [answered(5)]);
        const report = readUsage(sql, {}, noon + dayMs);
        expect([report.from, report.to]).toEqual(["2026-11-01", "2026-11-16"]);
        expect(report.lines).toEqual([
          {
            day: "2026-11-15",
            agent: "assistant",
            turns: 0,
            inputTokens: 20,
            outputTokens: 10,
            cachedTokens: 4,
            reasoningTokens: 2,
            costUsd: 0.2,
          },
          expect.objectContaining({ day: "2026-11-15", agent: "clerk", costUsd: 1, inputTokens: 0 }),
          expect.objectContaining({ day: "2026-11-16", agent: "assistant", inputTokens: 0, outputTokens: 5 }),
        ]);
        expect(readUsage(sql, { from: "2026-11-16", to: "2026-11-16" }, noon).lines).toHaveLength(1);
      }));

    test("[SE80] a report begins with its month if nothing is said, and covers a year at most", () =>
      withTenant((sql) => {
        const spanOf = (query: UsageQuery): string[] => {
          const { from, to } = readUsage(sql, query, noon);
          return [from, to];
        };
        expect(spanOf({ to: "2025-03-09" })).toEqual(["2025-03-01", "2025-03-09"]);
        expect(spanOf({ from: "2025-11-14" })).toEqual(["2025-11-14", "2026-11-15"]);
        expect(spanOf({ from: "2025-11-13" })).toEqual(["2025-11-14", "2026-11-15"]);
        expect(spanOf({ to: "0000-01-31" })).toEqual(["0000-01-01", "0000-01-31"]);
        expect(spanOf({ to: "9999-02-31" })).toEqual(["9999-02-01", "9999-02-31"]);
        expect(emptyUsage(sql, { from: "0000-01-01" }, noon).from).toBe("2025-11-14");
      }));
  });

  describe("any order", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e");
    const dollars = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.double({ min: 0, max: 6, noNaN: true }));
    const anyNumber = fc.oneof(dollars, fc.constantFrom(undefined, Number.NaN, -1, Number.POSITIVE_INFINITY));
    const step = fc.oneof(
      fc.record({ verb: fc.constant("reserve" as const), id, usd: dollars }),
      fc.record({ verb: fc.constant("commit" as const), id, usd: anyNumber }),
      fc.record({ verb: fc.constantFrom("release" as const, "renew" as const), id }),
      fc.record({ verb: fc.constant("wait" as const), minutes: fc.constantFrom(1, 14, 16, 800) }),
    );

    test("[HC13] reserved = held + committed + released + lapsed, in sums and in rows", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
          withTenant((sql) => {
            play(sql, steps, (now) => {
              const { month } = readBudget(sql, now);
              const sums = [month.heldUsd, month.committedUsd, month.releasedUsd, month.lapsedUsd];
              expect(Math.min(...sums)).toBeGreaterThanOrEqual(0);
              const rows = (state: string): number =>
                Number(
                  sql.all("SELECT coalesce(sum(amount), 0) AS nanos FROM reservations WHERE state = ?", state)[0]?.[
                    "nanos"
                  ],
                );
              const nanos = (usd: number): number => Math.round(usd * 1e9);
              expect(nanos(month.heldUsd)).toBe(rows("held"));
              expect(nanos(month.lapsedUsd)).toBe(rows("lapsed"));
              expect(nanos(month.committedUsd) + nanos(month.releasedUsd)).toBe(rows("settled"));
              expect(nanos(month.reservedUsd)).toBe(rows("held") + rows("lapsed") + rows("settled"));
            });
          }),
        ),
        { numRuns: runs },
      );
    });

    test("[G17] what counts as spent never passes a limit while no call costs more than its estimate", async () => {
      const honest = step.filter(({ verb }) => verb !== "commit");
      const share = fc.record({
        verb: fc.constant("share" as const),
        id,
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(honest, share), { maxLength: 40 }), (steps) =>
          withTenant((sql) => {
            play(sql, steps, (now) => {
              const { today, month } = readBudget(sql, now);
              expect(today.reservedUsd - today.releasedUsd).toBeLessThanOrEqual(limits.dailyLimitUsd + 1e-9);
              expect(month.reservedUsd - month.releasedUsd).toBeLessThanOrEqual(limits.monthlyLimitUsd + 1e-9);
            });
          }),
        ),
        { numRuns: runs },
      );
    });
  });
}

type Step =
  | { readonly verb: "reserve" | "commit"; readonly id: string; readonly usd: number | undefined }
  | { readonly verb: "release" | "renew"; readonly id: string }
  /** A commit of a part of what was reserved. */
  | { readonly verb: "share"; readonly id: string; readonly share: number }
  | { readonly verb: "wait"; readonly minutes: number };

/** Plays the steps of one month; `check` sees the rows after each. */
function play(sql: SqlPort, steps: readonly Step[], check: (now: number) => void): void {
  let now = Date.UTC(2026, 10, 1);
  const reserved = new Map<string, number>();
  for (const step of steps) {
    switch (step.verb) {
      case "reserve": {
        const usd = step.usd ?? 0;
        if (reserveAt(now)(sql, step.id, usd).granted && !reserved.has(step.id)) reserved.set(step.id, usd);
        break;
      }
      case "commit":
        commit(sql, { reservation: step.id, ...(step.usd === undefined ? {} : { costUsd: step.usd }) }, now);
        break;
      case "share": {
        const usd = reserved.get(step.id);
        if (usd !== undefined) commit(sql, { reservation: step.id, costUsd: usd * step.share }, now);
        break;
      }
      case "release":
        release(sql, step.id, now);
        break;
      case "renew":
        renewReservation(sql, { conversation, id: step.id }, now);
        break;
      case "wait":
        now += step.minutes * 60_000;
        lapseDue(sql, now);
        break;
      default:
        step satisfies never;
    }
    check(now);
  }
}
