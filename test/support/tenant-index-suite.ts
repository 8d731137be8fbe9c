/** Index, roster, inbox and tombstones of a tenant, for any SQLite. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AdmissionLimits, AdmissionRequest, Projection } from "../../src/contracts/tenant.ts";
import type { ApprovalView } from "../../src/contracts/verbs.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { admit } from "../../src/storage/tenant/admit.ts";
import { listInbox } from "../../src/storage/tenant/approval-inbox.ts";
import { buryConversation, isDeleted, listConversations } from "../../src/storage/tenant/conversation-index.ts";
import { findNextDeadline, listDue, removeDeadline } from "../../src/storage/tenant/deadline-store.ts";
import { meetDeadline } from "../../src/storage/tenant/meet-deadline.ts";
import { countConversations } from "../../src/storage/tenant/owner-store.ts";
import { projectFacts } from "../../src/storage/tenant/project-facts.ts";
import { commitSpend, leaseMs } from "../../src/storage/tenant/reservation-store.ts";
import { countOpenTurns, forgetAdmission } from "../../src/storage/tenant/turn-roster.ts";
import { readUsage } from "../../src/storage/tenant/usage-store.ts";
import type { WithDatabase } from "./storage-fixture.ts";
import { noon, withTenantDatabase } from "./tenant-fixture.ts";

const dayMs = 86_400_000;
const idOf = (n: number): string => `conversation_${String(n).padStart(4, "0")}`;
const first = idOf(1);

const wide: AdmissionLimits = {
  turnsPerMinute: 100,
  maxRunningTurns: 100,
  maxQueuedTurns: 100,
  maxPendingApprovals: 100,
  maxConversations: 100,
};
const ask = (change: Partial<AdmissionRequest> = {}, limits: Partial<AdmissionLimits> = {}): AdmissionRequest => ({
  agent: "assistant",
  limits: { ...wide, ...limits },
  ...change,
});
const turnFact = (seq: number, turn: string, state: "queued" | "running" | "suspended" | "ended"): Projection => ({
  seq,
  at: noon + seq,
  kind: "turn",
  turn,
  agent: "assistant",
  state,
});
const approvalOf = (approvalId: string, expiresAt = noon + dayMs): ApprovalView => ({
  n: 1,
  approvalId,
  turn: "turn_1",
  callId: "call_1",
  agent: "assistant",
  tool: "refund",
  toolOrigin: "code",
  risk: "high",
  definitionHash: "0".repeat(64),
  argsDigest: "1".repeat(64),
  summary: "order: 7\u0000\ud800",
  expiresAt,
  channel: "http",
  alwaysAsks: false,
  state: "pending",
});
const opened = (seq: number, approvalId: string, expiresAt?: number): Projection => ({
  seq,
  at: noon + seq,
  kind: "approval_opened",
  approval: approvalOf(approvalId, expiresAt),
});
const closed = (seq: number, approvalId: string): Projection => ({
  seq,
  at: noon + seq,
  kind: "approval_closed",
  approvalId,
  state: "decided",
});
function meetDue(sql: SqlPort, now: number): void {
  for (const deadline of listDue(sql, now)) meetDeadline(sql, deadline, now);
}
const statusOf = (sql: SqlPort, conversation = first): string | undefined =>
  listConversations(sql, { limit: 100 }).items.find((entry) => entry.conversation === conversation)?.status;
const openIds = (sql: SqlPort, now = noon): string[] =>
  listInbox(sql, { limit: 100 }, now).items.map(
    ({ conversation, approval }) => `${conversation}/${approval.approvalId}`,
  );

export function describeTenantIndex(withDatabase: WithDatabase, runs: number): void {
  const withTenant = withTenantDatabase(withDatabase);

  describe("projection", () => {
    test("[DU42] a conversation is listed with agent, status and times; a turn counts once", () =>
      withTenant((sql) => {
        projectFacts(sql, first, [
          turnFact(1, "t1", "queued"),
          turnFact(2, "t1", "running"),
          turnFact(9, "t2", "queued"),
        ]);
        const [entry] = listConversations(sql, { limit: 10 }).items;
        expect(entry).toEqual({
          n: 1,
          conversation: first,
          agent: "assistant",
          status: "running",
          createdAt: noon + 1,
          activeAt: noon + 9,
        });
        projectFacts(sql, first, [turnFact(12, "t1", "suspended")]);
        expect(statusOf(sql)).toBe("suspended");
        projectFacts(sql, first, [turnFact(20, "t1", "ended"), turnFact(21, "t2", "ended")]);
        expect(statusOf(sql)).toBe("idle");
        expect(readUsage(sql, {}, noon).lines[0]?.turns).toBe(2);
      }));

    test("[DU40] a fact of a kind that a later release tells of is passed over", () =>
      withTenant((sql) => {
        const foreign = JSON.parse('{"seq":1,"at":0,"kind":"weather"}') as Projection;
        projectFacts(sql, first, [foreign, turnFact(2, "t1", "running")]);
        expect(statusOf(sql)).toBe("running");
      }));

    test("[DU42] the inbox holds what is open over all conversations; an expired one is open no more", () =>
      withTenant((sql) => {
        projectFacts(sql, first, [opened(3, "a"), opened(4, "b", noon + 60_000)]);
        projectFacts(sql, idOf(2), [opened(3, "a")]);
        expect(openIds(sql)).toEqual([`${idOf(2)}/a`, `${first}/b`, `${first}/a`]);
        expect(listInbox(sql, { limit: 1 }, noon).items[0]?.approval).toEqual(approvalOf("a"));
        expect(openIds(sql, noon + 60_000)).toEqual([`${idOf(2)}/a`, `${first}/a`]);
        projectFacts(sql, first, [closed(7, "a")]);
        expect(openIds(sql, noon + 60_000)).toEqual([`${idOf(2)}/a`]);
      }));

    test("[DU42] whatever order facts come in and however often, what stands is the same", async () => {
      const facts: readonly Projection[] = [
        turnFact(1, "t1", "queued"),
        turnFact(2, "t1", "running"),
        opened(5, "a"),
        opened(6, "b"),
        turnFact(7, "t1", "suspended"),
        closed(8, "a"),
        turnFact(9, "t2", "queued"),
        opened(10, "c"),
      ];
      const order = fc
        .tuple(fc.shuffledSubarray([...facts], { minLength: facts.length }), fc.array(fc.constantFrom(...facts)))
        .chain(([all, again]) => fc.tuple(fc.constant([...again, ...all, ...again]), fc.integer({ min: 1, max: 4 })));
      await fc.assert(
        fc.asyncProperty(order, ([delivered, size]) =>
          withTenant((sql) => {
            for (let at = 0; at < delivered.length; at += size)
              projectFacts(sql, first, delivered.slice(at, at + size));
            expect(statusOf(sql)).toBe("suspended");
            expect(openIds(sql).toSorted()).toEqual([`${first}/b`, `${first}/c`]);
            expect(countOpenTurns(sql)).toEqual({ running: 0, queued: 1 });
            expect(readUsage(sql, {}, noon).lines[0]?.turns).toBe(2);
            expect(countConversations(sql)).toBe(1);
            const [entry] = listConversations(sql, { limit: 1 }).items;
            expect([entry?.createdAt, entry?.activeAt]).toEqual([noon + 1, noon + 10]);
          }),
        ),
        { numRuns: runs },
      );
    });
  });

  describe("pages", () => {
    test("[G16] pages joined are the whole list, newest first, also through a filter", () =>
      withTenant((sql) => {
        for (let n = 1; n <= 23; n += 1) {
          admit(sql, idOf(n), { request: ask({ agent: n % 3 === 0 ? "clerk" : "assistant" }), now: noon + n });
          if (n % 4 === 0) projectFacts(sql, idOf(n), [turnFact(1, `t${n}`, "running")]);
        }
        const readAll = (filter: { agent?: string; status?: "running" | "idle" }): string[] => {
          const seen: string[] = [];
          for (let before: number | undefined; ;) {
            const page = listConversations(sql, { ...filter, limit: 4, ...(before === undefined ? {} : { before }) });
            seen.push(...page.items.map(({ conversation }) => conversation));
            before = page.items.at(-1)?.n;
            if (!page.more) return seen;
          }
        };
        const numbers = Array.from({ length: 23 }, (_, at) => 23 - at);
        const ids = (keep: (n: number) => boolean): string[] => numbers.filter(keep).map(idOf);
        expect(readAll({})).toEqual(ids(() => true));
        expect(readAll({ agent: "clerk" })).toEqual(ids((n) => n % 3 === 0));
        expect(readAll({ status: "running" })).toEqual(ids((n) => n % 4 === 0));
        expect(readAll({ status: "idle", agent: "clerk" })).toEqual(ids((n) => n % 3 === 0 && n % 4 !== 0));
        expect(readAll({ agent: "nobody" })).toEqual([]);
      }));
  });

  describe("tombstones", () => {
    test("[DU46] a deleted conversation leaves the lists, takes nothing more, and its id is not used again", () =>
      withTenant((sql) => {
        admit(sql, first, { request: ask({ turn: "t1" }), now: noon });
        projectFacts(sql, first, [turnFact(1, "t1", "running"), opened(2, "a")]);
        for (const _ of [1, 2]) buryConversation(sql, first, noon);
        expect(isDeleted(sql, first)).toBe(true);
        expect(listDue(sql, noon).filter(({ kind }) => kind === "erase")).toMatchObject([{ ref: first }]);
        projectFacts(sql, first, [turnFact(3, "t1", "ended"), opened(4, "b")]);
        expect(admit(sql, first, { request: ask({ turn: "t2" }), now: noon })).toEqual({ kind: "deleted" });
        expect(admit(sql, first, { request: ask(), now: noon })).toEqual({ kind: "deleted" });
        expect([statusOf(sql), openIds(sql), countConversations(sql)]).toEqual([undefined, [], 0]);
        expect(countOpenTurns(sql)).toEqual({ running: 0, queued: 0 });
      }));

    test("[DU46] what was spent stays spent", () =>
      withTenant((sql) => {
        const spend = { reservation: "r", agent: "assistant", costUsd: 2, estimateUsd: 2 };
        buryConversation(sql, first, noon);
        commitSpend(sql, first, { spend, now: noon });
        expect(readUsage(sql, {}, noon).today.committedUsd).toBe(2);
      }));
  });

  describe("admission", () => {
    const admitted = { kind: "admitted" };
    const nextAt = (now: number) => (sql: SqlPort, n: number, limits: Partial<AdmissionLimits>) =>
      admit(sql, idOf(n), { request: ask({ turn: `t${n}` }, limits), now });
    const next = nextAt(noon);

    test("[SE83] turns per minute, by the clock's minute", () =>
      withTenant((sql) => {
        for (const n of [1, 2]) expect(next(sql, n, { turnsPerMinute: 2 })).toEqual(admitted);
        const refusal = { kind: "refused", policy: "turns", until: noon + 60_000 };
        expect(nextAt(noon + 59_999)(sql, 3, { turnsPerMinute: 2 })).toEqual(refusal);
        expect(nextAt(noon + 60_000)(sql, 3, { turnsPerMinute: 2 })).toEqual(admitted);
      }));

    test("[SE83] turns under way, those just let in included; one that waits for a person is not under way", () =>
      withTenant((sql) => {
        const limits = { maxRunningTurns: 2 };
        for (const n of [1, 2]) next(sql, n, limits);
        expect(next(sql, 3, limits)).toEqual({ kind: "refused", policy: "turns" });
        projectFacts(sql, idOf(1), [turnFact(1, "t1", "suspended")]);
        expect(next(sql, 3, limits)).toEqual(admitted);
      }));

    test("[SE83] turns that wait, open approvals, conversations", () =>
      withTenant((sql) => {
        projectFacts(sql, first, [turnFact(1, "waits", "queued"), opened(2, "a")]);
        expect(next(sql, 2, { maxQueuedTurns: 1 })).toEqual({ kind: "refused", policy: "queue" });
        expect(next(sql, 2, { maxPendingApprovals: 1 })).toEqual({ kind: "refused", policy: "approvals" });
        expect(next(sql, 2, { maxConversations: 1 })).toEqual({ kind: "refused", policy: "conversations" });
        expect(next(sql, 1, { maxConversations: 1 })).toEqual(admitted);
        expect(countConversations(sql)).toBe(1);
      }));

    test("[SE80] a period that is used up when a turn comes in", () =>
      withTenant((sql) => {
        const spend = { reservation: "r", agent: "assistant", costUsd: 2, estimateUsd: 2 };
        commitSpend(sql, first, { spend, now: noon });
        const budget = { dailyLimitUsd: 2, monthlyLimitUsd: 100 };
        const request = ask({ turn: "t1", budget });
        expect(admit(sql, first, { request, now: noon })).toMatchObject({ kind: "refused", policy: "budget" });
        expect(admit(sql, first, { request, now: noon + dayMs })).toEqual(admitted);
      }));

    test("[SE83] a refusal leaves nothing, and the same turn again takes no second place", () =>
      withTenant((sql) => {
        expect(next(sql, 1, { maxConversations: 0 })).toMatchObject({ kind: "refused" });
        expect([countConversations(sql), findNextDeadline(sql)]).toEqual([0, undefined]);
        for (const _ of [1, 2, 3]) expect(next(sql, 1, { turnsPerMinute: 1 })).toEqual(admitted);
        expect(countOpenTurns(sql)).toEqual({ running: 1, queued: 0 });
      }));

    test("[SE83] one that was let in and never began gives its place back", () =>
      withTenant((sql) => {
        for (const n of [1, 2]) next(sql, n, {});
        projectFacts(sql, idOf(2), [turnFact(1, "t2", "running")]);
        meetDue(sql, noon + leaseMs);
        forgetAdmission(sql, { conversation: idOf(2), turn: "t2" });
        expect(countOpenTurns(sql)).toEqual({ running: 1, queued: 0 });
        expect(findNextDeadline(sql)).toBeUndefined();
      }));
  });

  describe("the daily sweep", () => {
    test("[DU45] what is over goes after a week, and then nothing is armed", () =>
      withTenant((sql) => {
        projectFacts(sql, first, [turnFact(1, "t1", "ended"), opened(2, "a"), closed(3, "a"), opened(4, "open")]);
        commitSpend(sql, first, { spend: { reservation: "r", agent: "assistant", estimateUsd: 1 }, now: noon });
        buryConversation(sql, idOf(2), noon);
        removeDeadline(sql, { kind: "erase", ref: idOf(2) });
        const kept = (): number[] =>
          ["turns", "approvals", "reservations"].map((table) => sql.all(`SELECT 1 FROM ${table}`).length);
        const before: number[][] = [];
        let alarms = 0;
        for (let at = findNextDeadline(sql); at !== undefined; at = findNextDeadline(sql)) {
          if (at < noon + 7 * dayMs) before.push(kept());
          meetDue(sql, at);
          alarms += 1;
        }
        expect(before).toEqual(before.map(() => [1, 2, 1]));
        expect(before.length).toBeGreaterThan(0);
        expect(alarms).toBeLessThanOrEqual(9);
        expect(kept()).toEqual([0, 1, 0]);
        expect(openIds(sql)).toEqual([`${first}/open`]);
        expect(isDeleted(sql, idOf(2))).toBe(true);
        expect(readUsage(sql, {}, noon).lines[0]).toMatchObject({ turns: 1, costUsd: 1 });
      }));

    test("[DU45] a run takes a bounded number of rows, and the rest comes soon after", () =>
      withTenant((sql) => {
        for (let n = 0; n < 1201; n += 1) {
          commitSpend(sql, first, { spend: { reservation: `r${n}`, agent: "assistant", estimateUsd: 0 }, now: noon });
        }
        const left = (): number => sql.all("SELECT 1 FROM reservations").length;
        const counts: number[] = [];
        for (let now = noon + 8 * dayMs; left() > 0; now += 60_000) {
          meetDue(sql, now);
          counts.push(left());
        }
        expect(counts).toEqual([701, 201, 0]);
        expect(findNextDeadline(sql)).toBeUndefined();
      }));
  });
}
