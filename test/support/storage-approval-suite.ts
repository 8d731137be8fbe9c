/** Storage suite, approvals: how a turn waits for a person, what a decision does, what may still start afterwards. */
import { listAudit } from "../../src/storage/audit-store.ts";
import { describe, expect, test } from "vitest";
import type { ModelCall } from "../../src/contracts/call.ts";
import {
  endApproval,
  findApproval,
  insertApproval,
  listApprovals,
  listOpenApprovals,
} from "../../src/storage/approval-store.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { findNextDeadline, listDue } from "../../src/storage/deadline-store.ts";
import { readOpenRequests } from "../../src/storage/open-requests.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { lapseApproval } from "../../src/storage/transactions/lapse-approval.ts";
import { heartbeatMs } from "../../src/storage/transactions/heartbeat.ts";
import { readTurnCheckpoint } from "../../src/storage/step-store.ts";
import { expectSmallValues, readLog } from "./storage-checker.ts";
import {
  type Fixture,
  makeCall,
  countFacts,
  openFixture,
  readTables,
  settle,
  type WithDatabase,
} from "./storage-fixture.ts";
import {
  approvalIdOf,
  callStates,
  deadline,
  decide,
  endAs,
  kindOf,
  openBatch,
  prepare,
  request,
  requestedEvent,
  start,
  stateOf,
  letGo,
  suspend,
  suspended,
  typesAfter,
  prepareAsked,
} from "./storage-wait-fixture.ts";
import { describeNextApprover } from "./storage-approver-suite.ts";

function describeSuspension(withDatabase: WithDatabase): void {
  test("[AP3][AP4] a batch takes its next states with the approvals and the checkpoint, and the turn lets go", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 3);
      const [asked = makeCall("t", 0), free = makeCall("t", 1), bad = makeCall("t", 2)] = calls;
      suspend(journal, { asked: [asked], free: [free], settled: [endAs(bad, "unknown_tool")] });
      expect(callStates(fixture, calls)).toEqual(["awaiting_approval", "ready", "settled"]);
      expect(findApproval(sql, approvalIdOf(asked))?.approval).toEqual({ ...request(asked), state: "pending" });
      expect(stateOf(fixture)).toBe("suspended");
      expect(readTurnCheckpoint(sql, 1)).toEqual({ at: "checkpoint 3" });
      expect(typesAfter(fixture, 3)).toEqual([
        "tool_call 2",
        "tool_result 2",
        "approval_requested 0",
        "turn_suspended",
      ]);
      expect(() => journal.appendEvents([])).toThrow("no longer");
      expect(start(journal, free)).toBe(false);
      expect(journal.batchCalls(1).map(({ prepared, state }) => [prepared?.approvalId, state])).toEqual([
        [approvalIdOf(asked), "awaiting_approval"],
        [undefined, "ready"],
        [undefined, "settled"],
      ]);
      expect(journal.batchCalls(1)[0]?.prepared?.args).toEqual(asked.args);
      expect(journal.stepResponse(1)).toMatchObject({ message: { text: "text 1" }, finishReason: "tool_calls" });
    }));

  test("[CK2] a suspension that leaves a call unjudged, asks nobody or comes behind a cancel writes nothing", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      const [one = makeCall("t", 0), two = makeCall("t", 1)] = calls;
      const before = readTables(sql);
      expect(() => suspend(journal, { asked: [one] })).toThrow("cannot wait while");
      expect(() => suspend(journal, { asked: [], free: calls })).toThrow("without an open approval");
      const other = { approvalId: "apr_other" };
      expect(() => suspend(journal, { asked: [one], free: [two], change: other })).toThrow("does not name");
      expect(readTables(sql)).toEqual(before);
      askCancel(fixture.context, { turn: "t", reason: "cancel" });
      expect(() => suspend(journal, { asked: [one], free: [two] })).toThrow("asked to cancel");
      expect(stateOf(fixture)).toBe("running");
    }));

  test("[DU1] a large checkpoint, large arguments and a large decision lie in chunks and come back whole", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 1);
      const [call = makeCall("t", 0)] = calls;
      const long = "x".repeat(600_000);
      const large = {
        ...prepare(call),
        args: { long },
        requirement: "prompt",
        approvalId: approvalIdOf(call),
      } as const;
      journal.follow(() => ({ n: 9, body: { long } }));
      journal.askApprovals({ step: 1, settled: [], approvals: [request(call)], events: [], prepared: [large] });
      expect(letGo(journal)).toBe(true);
      expect(readTurnCheckpoint(sql, 1)).toEqual({ long });
      expect(kindOf(decide(fixture, call, { decision: "approve" }))).toBe("made true");
      expect(start(journal, call, { args: { long: `${long}!` } })).toBe(true);
      expect(findCall(sql, call.callId)?.prepared?.args).toEqual({ long: `${long}!` });
      expectSmallValues(sql);
      fixture.seal("t");
      const left = sql.all("SELECT DISTINCT owner FROM overflow ORDER BY owner").map((row) => row["owner"]);
      expect(left).toEqual([`calls/${call.callId}/args`]);
    }));

  test("[EV4][DU10] a call found open is told of as it was prepared: by its tool's real name, with the prepared arguments", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      const [asked = makeCall("t", 0), free = makeCall("t", 1)] = calls;
      const prepared = { tool: "forecast", args: { city: "as prepared" } };
      journal.askApprovals({
        step: 1,
        settled: [],
        prepared: [{ ...prepareAsked(asked), ...prepared }, prepare(free, prepared)],
        approvals: [request(asked)],
        events: [],
      });
      letGo(journal);
      decide(fixture, asked);
      expect(start(journal, asked, prepared)).toBe(true);
      const told = readLog(sql).length;
      fixture.seal("t");
      expect(readLog(sql).slice(told, told + 3)).toMatchObject([
        { type: "tool_result", callId: asked.callId, tool: "forecast", disposition: "outcome_unknown" },
        { type: "tool_call", callId: free.callId, tool: "forecast", arguments: { city: "as prepared" } },
        { type: "tool_result", callId: free.callId, tool: "forecast", disposition: "interrupted" },
      ]);
    }));

  test.each([
    ["a tenant that has yet to hear of it", 0],
    ["3 more for each fact that it hears of alone", 3],
  ] as const)("[DU47] waiting for a person writes 8 rows an approval at most, and %s", (_what, rowsToTell) =>
    withDatabase(({ sql, written }) => {
      const fixture = openFixture(sql, rowsToTell > 0);
      const before = written();
      const { journal, calls } = openBatch(fixture, 3);
      suspend(journal, { asked: calls });
      for (const call of calls) decide(fixture, call);
      for (const call of calls) start(journal, call);
      for (const call of calls) settle(journal, call);
      const rows = written() - before;
      expect(rows).toBeGreaterThan(30);
      expect(rows).toBeLessThanOrEqual(30 + (14 + 8) * 3 + rowsToTell * countFacts(sql));
    }),
  );
}

function describeDecisions(withDatabase: WithDatabase): void {
  test("[AP18] each decision is told at once; the last one, and only it, sets the turn running", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls, one, two, free } = suspended(fixture);
      const told = readLog(sql).length;
      expect(kindOf(decide(fixture, two, { decision: "deny" }))).toBe("made false");
      expect(stateOf(fixture)).toBe("suspended");
      expect(start(journal, free)).toBe(false);
      expect(kindOf(decide(fixture, one))).toBe("made true");
      expect(stateOf(fixture)).toBe("running");
      expect(callStates(fixture, calls)).toEqual(["ready", "settled", "ready"]);
      expect(typesAfter(fixture, told)).toEqual([
        "approval_decided 1",
        "tool_call 1",
        "tool_result 1",
        "approval_decided 0",
        "turn_resumed",
      ]);
      expect(readLog(sql).at(told)).toMatchObject({ decision: "deny", provenance: "operator", decidedBy: "ann" });
      expect(findCall(sql, two.callId)?.outcome?.disposition).toBe("denied");
    }));

  test("[AP7] the row keeps what was decided, by whom, through which channel, when", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture);
      fixture.wait(5);
      decide(fixture, one, { decision: "replace", replacement: "say no", channel: "slack" });
      expect(findApproval(sql, approvalIdOf(one))?.approval).toMatchObject({
        state: "decided",
        decided: {
          decision: "replace",
          replacement: "say no",
          provenance: "operator",
          decidedBy: "ann",
          channel: "slack",
          decidedAt: 1_000_005,
        },
      });
      expect(findCall(sql, one.callId)?.outcome).toMatchObject({ disposition: "replaced", success: true });
    }));

  test("[AP6][SE22] the first decision stands: the same again writes nothing, another is told which stands", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one, two } = suspended(fixture);
      decide(fixture, one);
      decide(fixture, two, { decision: "replace", replacement: "x" });
      const before = readTables(sql);
      expect(kindOf(decide(fixture, one))).toBe("again false");
      expect(kindOf(decide(fixture, one, { decision: "deny" }))).toBe("decided");
      expect(kindOf(decide(fixture, one, { decision: "always" }))).toBe("decided");
      expect(kindOf(decide(fixture, two, { decision: "replace", replacement: "x" }))).toBe("again false");
      expect(kindOf(decide(fixture, two, { decision: "replace", replacement: "y" }))).toBe("decided");
      expect(decide(fixture, one, { decision: "deny" })).toMatchObject({
        failure: { approval: { decided: { decision: "approve" } } },
      });
      expect(kindOf(decide(fixture, makeCall("t", 9)))).toBe("unknown");
      expect(readTables(sql)).toEqual(before);
    }));

  test("[SE22] of two that read the same pending row one ends it", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture);
      const stored = findApproval(sql, approvalIdOf(one));
      if (stored === undefined) throw new Error("no approval");
      const race = () => endApproval(sql, stored, { state: "expired" });
      expect([race(), race()]).toEqual([true, false]);
      const reopened = { ...stored, version: stored.version + 1 };
      sql.run("UPDATE approvals SET state = 'pending'");
      expect([race(), endApproval(sql, reopened, { state: "void" })]).toEqual([false, true]);
    }));

  test("[SE23] where a channel was asked, only that channel decides", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture, { channel: "ops" });
      const before = readTables(sql);
      expect(kindOf(decide(fixture, one))).toBe("wrong_channel");
      expect(readTables(sql)).toEqual(before);
      expect(kindOf(decide(fixture, one, { channel: "ops" }))).toBe("made false");
    }));

  test("[AP14] always also answers what is open for the tool, and stands for this agent, tool and definition", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, one, two } = suspended(fixture);
      const grant = { agent: "ada", tool: "weather", definitionHash: "hash" };
      expect(journal.isRemembered(grant)).toBe(false);
      expect(kindOf(decide(fixture, one, { decision: "always" }))).toBe("made true");
      expect(findApproval(sql, approvalIdOf(two))?.approval.decided?.decision).toBe("always");
      expect(callStates(fixture, [one, two])).toEqual(["ready", "ready"]);
      expect(journal.isRemembered(grant)).toBe(true);
      expect(journal.isRemembered({ ...grant, definitionHash: "changed" })).toBe(false);
      expect(journal.isRemembered({ ...grant, tool: "shell" })).toBe(false);
      expect(journal.isRemembered({ ...grant, agent: "bob" })).toBe(false);
    }));

  test.each([
    { tool: "shell" },
    { agent: "bob" },
    { definitionHash: "changed" },
    { alwaysAsks: true },
    { expiresAt: 1_000_000 },
  ])("[AP14] always leaves an approval with %j open", (change) =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      const [one = makeCall("t", 0), two = makeCall("t", 1)] = calls;
      const prepared = calls.map((call) => prepare(call, { requirement: "prompt", approvalId: approvalIdOf(call) }));
      const approvals = [request(one, { alwaysAsks: true }), request(two, change)];
      journal.askApprovals({ step: 1, settled: [], prepared, approvals, events: [] });
      expect(kindOf(decide(fixture, one, { decision: "always" }))).toBe("made false");
      expect(listOpenApprovals(sql).map(({ approval }) => approval.callId)).toEqual([two.callId]);
    }),
  );
}

function describeDeadlines(withDatabase: WithDatabase): void {
  const expire = ({ context }: Fixture, call: ModelCall, as: "expired" | "void" = "expired") =>
    lapseApproval(context, {
      approvalId: approvalIdOf(call),
      as,
      endCall: (_, stored) => endAs(stored.call, as === "void" ? "refused" : "expired"),
      toEvent: requestedEvent,
    });

  test("[AP12] a decision at the deadline is too late, whether or not expiry was written", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one, two } = suspended(fixture);
      fixture.wait(deadline - 1_000_000 - 1);
      expect(kindOf(decide(fixture, one))).toBe("made false");
      fixture.wait(1);
      const before = readTables(sql);
      expect(kindOf(decide(fixture, two))).toBe("expired");
      expect(readTables(sql)).toEqual(before);
      expire(fixture, two);
      expect(kindOf(decide(fixture, two))).toBe("expired");
    }));

  test("[G10] the next deadline is known, nothing is due before it, and what is due ends once", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      expect(findNextDeadline(sql)).toBeUndefined();
      const { one, two } = suspended(fixture);
      expect(findNextDeadline(sql)).toBe(deadline);
      expect(listDue(sql, deadline - 1, 50)).toEqual([]);
      expect(expire(fixture, one)).toBeUndefined();
      fixture.wait(deadline - 1_000_000);
      expect(listDue(sql, deadline, 50).map(({ ref }) => ref)).toEqual([one, two].map(approvalIdOf));
      const told = readLog(sql).length;
      expect(expire(fixture, one)).toEqual({ resumed: false });
      expect(expire(fixture, one)).toBeUndefined();
      expect(expire(fixture, two)).toEqual({ resumed: true });
      expect(typesAfter(fixture, told)).toEqual([
        "approval_decided 0",
        "tool_call 0",
        "tool_result 0",
        "approval_decided 1",
        "tool_call 1",
        "tool_result 1",
        "turn_resumed",
      ]);
      expect(readLog(sql)[told]).toMatchObject({ decision: null, provenance: "expired" });
      expect([findNextDeadline(sql), stateOf(fixture)]).toEqual([fixture.context.now() + heartbeatMs, "running"]);
    }));

  test("[AU1] a changed definition is a change of policy in the audit chain, before the approval that it ends", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture);
      expire(fixture, one, "void");
      const told = listAudit(sql, { after: 0, limit: 100 }).map(({ kind, subject, data }) => [
        kind,
        subject,
        data["change"],
      ]);
      expect(told.slice(-3)).toEqual([
        ["policy", approvalIdOf(one), "definition_changed"],
        ["decision", approvalIdOf(one), undefined],
        ["disposition", one.callId, undefined],
      ]);
    }));

  test("[AP5] a changed definition voids an approval before its time, and nobody can decide it any more", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture);
      expect(expire(fixture, one, "void")).toEqual({ resumed: false });
      expect(readLog(sql).at(-3)).toMatchObject({ type: "approval_decided", provenance: "superseded" });
      expect(kindOf(decide(fixture, one))).toBe("void");
    }));

  test("open requests and pages show what waits, newest page first", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one, two } = suspended(fixture);
      expect(readOpenRequests(sql, 1).approvals.map(({ callId }) => callId)).toEqual([one.callId, two.callId]);
      expect(readOpenRequests(sql, 2)).toEqual({ approvals: [], clientCalls: [] });
      expect(listApprovals(sql, { limit: 1 }).map(({ n }) => n)).toEqual([2]);
      expect(listApprovals(sql, { before: 2, limit: 5 }).map(({ n }) => n)).toEqual([1]);
    }));

  test("[SE59] a page of approvals ends at about 4 MiB, and holds one at least", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      suspended(fixture);
      const [{ approval } = expect.fail("no approval")] = listApprovals(sql, { limit: 1 });
      for (const [index, size] of [3, 5, 2].entries()) {
        const summary = "x".repeat(size * 1024 * 1024);
        insertApproval(sql, 1, { ...approval, approvalId: `large_${index}`, summary });
      }
      const page = (before: number): number[] => listApprovals(sql, { before, limit: 9 }).map(({ n }) => n);
      expect([page(6), page(5), page(4)]).toEqual([[5], [4], [3, 2, 1]]);
    }));
}

export function describeStoredApprovals(withDatabase: WithDatabase): void {
  describe("suspension", () => {
    describeSuspension(withDatabase);
  });
  describe("decisions", () => {
    describeDecisions(withDatabase);
  });
  describe("approvers", () => {
    describeNextApprover(withDatabase);
  });
  describe("deadlines", () => {
    describeDeadlines(withDatabase);
  });
}
