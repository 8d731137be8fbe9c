/** Storage suite, behind an approval: what may still start, and how a turn that waits is cancelled. */
import { describe, expect, test } from "vitest";
import { findApproval } from "../../src/storage/approval-store.ts";
import { findNextDeadline } from "../../src/storage/deadline-store.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { heartbeatMs } from "../../src/storage/transactions/heartbeat.ts";
import { resumeForCancel } from "../../src/storage/transactions/resume-for-cancel.ts";
import { readTurnCheckpoint } from "../../src/storage/step-store.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { encodeJson } from "../../src/storage/utf8.ts";
import { expectDeadlines, readLog } from "./storage-checker.ts";
import { finish, openFixture, readTables, type WithDatabase } from "./storage-fixture.ts";
import {
  approvalIdOf,
  callStates,
  decide,
  endAs,
  kindOf,
  openBatch,
  start,
  stateOf,
  suspend,
  suspended,
} from "./storage-wait-fixture.ts";

function describeFence(withDatabase: WithDatabase): void {
  test.each([
    ["definition", { definitionHash: "changed" }],
    ["arguments", { argsDigest: "changed" }],
  ])("[AP5][SE21] a call whose %s differ from what was approved does not start", (_what, change) =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, one, two, free } = suspended(fixture);
      for (const call of [one, two]) decide(fixture, call);
      const before = readTables(sql);
      expect(start(journal, one, change)).toBe(false);
      expect(start(journal, free, change)).toBe(false);
      expect(readTables(sql)).toEqual(before);
      expect(start(journal, one)).toBe(true);
      expect(start(journal, one)).toBe(false);
    }),
  );

  test("[G9] an approval row that names other arguments or another call lets nothing run", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, one, two } = suspended(fixture);
      for (const call of [one, two]) decide(fixture, call);
      sql.run("UPDATE approvals SET args_digest = 'tampered' WHERE call_id = ?", one.callId);
      sql.run("UPDATE approvals SET call_id = 'another' WHERE call_id = ?", two.callId);
      expect([start(journal, one), start(journal, two)]).toEqual([false, false]);
    }));

  test("[G9] a ready call whose approval is not a yes does not start", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, one, two } = suspended(fixture);
      decide(fixture, one);
      decide(fixture, two, { decision: "deny" });
      const denied = encodeJson({ decision: "deny" });
      sql.run("UPDATE approvals SET decision = ? WHERE call_id = ?", denied, one.callId);
      expect(start(journal, one)).toBe(false);
    }));
}

function describeCancel(withDatabase: WithDatabase): void {
  test.each([
    ["cancel", "cancelled", "cancelled"],
    ["interrupt", "superseded", "superseded"],
  ] as const)(
    "[AP13][CK13] a %s ends all open approvals in one step, and the turn only runs to be ended",
    (reason, state, provenance) =>
      withDatabase(({ sql }) => {
        const fixture = openFixture(sql);
        const { journal, one, two, calls } = suspended(fixture);
        const turn = findTurn(sql, "t")?.turn;
        if (turn === undefined) throw new Error("no turn");
        const held = { ...fixture.context, turn };
        expect(resumeForCancel(held)).toBe(false);
        const told = readLog(sql).length;
        expect(askCancel(fixture.context, { turn: "t", reason })?.state).toBe("suspended");
        expect(readLog(sql).slice(told)).toMatchObject([
          { type: "approval_decided", callId: one.callId, decision: null, provenance },
          { type: "approval_decided", callId: two.callId, decision: null, provenance },
        ]);
        expect(findApproval(sql, approvalIdOf(one))?.approval.state).toBe(state);
        expect(kindOf(decide(fixture, one))).toBe("void");
        expect(resumeForCancel(held)).toBe(true);
        expect(resumeForCancel(held)).toBe(false);
        expect([stateOf(fixture), callStates(fixture, calls)]).toEqual([
          "running",
          ["awaiting_approval", "awaiting_approval", "ready"],
        ]);
        expect(start(journal, calls[2] ?? one)).toBe(false);
        expect(readLog(sql).map(({ type }) => type)).not.toContain("turn_resumed");
        journal.settleUnrun(calls.map((call) => endAs(call, "cancelled")));
        expectDeadlines(sql);
        expect(findNextDeadline(sql)).toBe(fixture.context.now() + heartbeatMs);
      }),
  );

  test("[DU4] the checkpoint goes with the turn's end", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 1);
      suspend(journal, { asked: calls });
      for (const call of calls) decide(fixture, call, { decision: "deny" });
      expect(() => finish(journal, "t")).toThrow("waits for its round");
      expect(readTurnCheckpoint(sql, 1)).toBeDefined();
      expect(fixture.seal("t")).toBe(true);
      expect(readTurnCheckpoint(sql, 1)).toBeUndefined();
      expect(sql.all("SELECT checkpoint FROM steps WHERE checkpoint IS NOT NULL")).toEqual([]);
    }));
}

export function describeApprovedCalls(withDatabase: WithDatabase): void {
  describe("the fence", () => {
    describeFence(withDatabase);
  });
  describe("cancel", () => {
    describeCancel(withDatabase);
  });
}
