/** Storage suite, approvers: what nobody decided – who is asked next, and that no question outlives its turn. */
import { expect, test } from "vitest";
import type { ModelCall } from "../../src/contracts/call.ts";
import { listOpenApprovals } from "../../src/storage/approval-store.ts";
import { findNextDeadline } from "../../src/storage/deadline-store.ts";
import { lapseApproval } from "../../src/storage/transactions/lapse-approval.ts";
import { readLog } from "./storage-checker.ts";
import { type Fixture, makeCall, openFixture, type WithDatabase } from "./storage-fixture.ts";
import {
  approvalIdOf,
  deadline,
  decide,
  endAs,
  kindOf,
  openBatch,
  prepare,
  prepareAsked,
  request,
  requestedEvent,
  suspend,
  suspended,
  typesAfter,
} from "./storage-wait-fixture.ts";

const lapse = ({ context }: Fixture, approvalId: string, as: "expired" | "unreachable") =>
  lapseApproval(context, {
    approvalId,
    as,
    endCall: (_, stored: { readonly call: ModelCall }) => endAs(stored.call, "expired"),
    toEvent: requestedEvent,
  });

export function describeNextApprover(withDatabase: WithDatabase): void {
  test.each(["expired", "unreachable"] as const)(
    "[AP10][AP12] %s with somebody else to go to: the same call, another approval with its own time; then nobody is left",
    (as) =>
      withDatabase(({ sql }) => {
        const fixture = openFixture(sql);
        const { journal, calls } = openBatch(fixture, 1);
        const [call = makeCall("t", 0)] = calls;
        suspend(journal, { asked: [call], change: { channel: "ops", fallback: { channel: "http", timeoutSecs: 9 } } });
        fixture.wait(deadline - 1_000_000);
        const told = readLog(sql).length;
        expect(lapse(fixture, approvalIdOf(call), as)).toEqual({ resumed: false });
        expect(typesAfter(fixture, told)).toEqual(["approval_decided 0", "approval_requested 0"]);
        expect(readLog(sql)[told]).toMatchObject({ provenance: as });
        const [next] = listOpenApprovals(sql);
        const expiresAt = fixture.context.now() + 9000;
        expect(next?.approval).toMatchObject({
          callId: call.callId,
          channel: "http",
          expiresAt,
          argsDigest: "digest 0",
        });
        expect(next?.approval).not.toHaveProperty("fallback");
        expect(findNextDeadline(sql)).toBe(expiresAt);
        expect(lapse(fixture, approvalIdOf(call), as)).toBeUndefined();
        fixture.wait(9000);
        expect(lapse(fixture, next?.approval.approvalId ?? "", as)).toEqual({ resumed: true });
        expect(listOpenApprovals(sql)).toEqual([]);
      }),
  );

  test("[AP8] an approval whose channel could not be reached cannot be decided any more", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { one } = suspended(fixture);
      expect(lapse(fixture, approvalIdOf(one), "unreachable")).toEqual({ resumed: false });
      expect(readLog(sql).at(-3)).toMatchObject({
        type: "approval_decided",
        provenance: "unreachable",
        decision: null,
      });
      expect(kindOf(decide(fixture, one))).toBe("void");
    }));

  test("[AP8][EV8][DU10] a turn that is sealed while it asks has no question left open", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { journal, calls } = openBatch(fixture, 2);
      const [asked = makeCall("t", 0), free = makeCall("t", 1)] = calls;
      journal.askApprovals({
        step: 1,
        settled: [],
        prepared: [prepareAsked(asked), prepare(free)],
        approvals: [request(asked)],
        events: [],
      });
      const told = readLog(sql).length;
      fixture.seal("t");
      expect(
        readLog(sql)
          .slice(told)
          .map(({ type }) => type),
      ).toEqual([
        "approval_decided",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
        "turn_recovered",
        "turn_finished",
      ]);
      expect(listOpenApprovals(sql)).toEqual([]);
      expect(sql.all("SELECT kind FROM deadlines WHERE kind = 'approval'")).toEqual([]);
    }));
}
