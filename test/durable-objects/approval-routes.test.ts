/** Whom an approval is put to: the route's channel, the one the turn came by, or nobody. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf, resultsOf, runOnce } from "../support/core-fixture.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectValidHistory } from "../support/storage-checker.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const ops = { channel: "ops", subject: "key:ops" };

/** A turn with one call that prompts and a word after it, its approvals routed to `ops`. */
async function openRouted(onNoApprover: "deny" | "inherit_originator", setup: RoomSetup = { channels: ["ops"] }) {
  const it = createNoting("it", { repeatGuard: true });
  const route = { approver_channel: "ops", on_no_approver: onNoApprover, timeout_secs: 7 };
  const risk = { approval_route: route, approval_timeout_secs: 60 };
  const room = openSuspensionRoom({ tools: [it.tool], ...setup, risk: { ...risk, ...setup.risk } });
  await room.run([calls({ name: "it" }), says("ok")]);
  return { room, it };
}
type Room = Awaited<ReturnType<typeof openRouted>>["room"];

const slugOf = (decided: ReturnType<Room["decide"]>): string =>
  decided.ok ? "decided" : (decided.failure as { readonly slug: string }).slug;

const decisionsOf = (room: Room) =>
  eventsOf(room.turn(), "approval_decided").map(({ provenance, decision }) => [provenance, decision]);

async function pass(room: Room, ms: number): Promise<void> {
  room.pass(ms);
  await room.alarm();
  await room.rest();
}

describe("a route", () => {
  test("[AP10][AP11][SE23] its channel is asked, for the route's time; no other may answer, and the decision is its own", async () => {
    const { room, it } = await openRouted("inherit_originator");
    expect(room.turn().open.approvals).toMatchObject([{ channel: "ops", expiresAt: Date.now() + 7000 }]);
    expect(slugOf(room.decide(approve))).toBe("forbidden");
    expect(slugOf(room.decide(approve, undefined, ops))).toBe("decided");
    await room.rest();
    expect(it.ran).toHaveLength(1);
    expect(eventsOf(room.turn(), "approval_decided")).toMatchObject([
      { provenance: "operator", decided_by: "key:ops" },
    ]);
  });

  test("[AP10][AP8] late under `deny`: the call expires", async () => {
    const { room, it } = await openRouted("deny");
    await pass(room, 7000);
    expect([dispositionsOf(room.turn()), decisionsOf(room), it.ran]).toEqual([["expired"], [["expired", null]], []]);
  });

  test("[AP10][AP8] missing under `deny`: unavailable, nobody is asked, and the text says that no person decided", async () => {
    const { room, it } = await openRouted("deny", {});
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn), it.ran]).toEqual(["completed", ["unavailable"], []]);
    expect(eventsOf(turn, "approval_requested")).toEqual([]);
    expect(resultsOf(turn)[0]).toMatch(/No person decided/);
  });

  test("[AP10] missing under `inherit_originator`: the channel of the turn is asked, for the usual time", async () => {
    const { room, it } = await openRouted("inherit_originator", {});
    expect(room.turn().open.approvals).toMatchObject([{ channel: "http", expiresAt: Date.now() + 60_000 }]);
    room.decide(approve);
    await room.rest();
    expect(it.ran).toHaveLength(1);
  });

  test("[CP16] a call that nobody could be asked about is not asked for again in its turn", async () => {
    const route = { approver_channel: "ops" };
    const { tool } = createNoting("it", { repeatGuard: true });
    const again = calls({ name: "it" });
    const turn = await runOnce([again, again], { tools: [tool], risk: { approval_route: route } });
    expect(dispositionsOf(turn)).toEqual(["unavailable", "refused"]);
    expect(turn.summary).toMatchObject({ outcome: "stopped", reason: "repeated_prompt" });
  });
});

describe("late under `inherit_originator`", () => {
  test("[AP10][AP12] the channel of the turn is asked with a fresh time, by an approval of its own", async () => {
    const { room, it } = await openRouted("inherit_originator");
    const [first = ""] = room.asked();
    await pass(room, 7000);
    const [asked] = room.turn().open.approvals;
    expect(asked).toMatchObject({ channel: "http", expiresAt: Date.now() + 60_000, callId: "call_trn_1_1" });
    expect(eventsOf(room.turn(), "approval_requested").map(({ approval_id: id }) => id)).toEqual([
      first,
      asked?.approvalId,
    ]);
    expect(slugOf(room.decide(approve, first, ops))).toBe("approval-expired");
    expect(slugOf(room.decide(approve, asked?.approvalId))).toBe("decided");
    await room.rest();
    const turn = room.turn();
    expect([turn.state, it.ran.length, decisionsOf(room)]).toEqual([
      "completed",
      1,
      [
        ["expired", null],
        ["operator", "approve"],
      ],
    ]);
    expectValidHistory(turn.history);
  });

  test("[AP10] and late again: the call expires, once", async () => {
    const { room } = await openRouted("inherit_originator");
    await pass(room, 7000);
    await pass(room, 59_999);
    expect(room.turn().state).toBe("suspended");
    await pass(room, 1);
    expect([room.turn().state, dispositionsOf(room.turn()), room.alarmAt()]).toEqual([
      "completed",
      ["expired"],
      undefined,
    ]);
  });

  test("[AP10][CK10] over an eviction between the two, and a cancel ends what is open then", async () => {
    const { room, it } = await openRouted("inherit_originator");
    room.evict();
    await pass(room, 7000);
    room.evict();
    room.cancel();
    await room.rest();
    expect([room.turn().state, dispositionsOf(room.turn()), it.ran]).toEqual(["cancelled", ["cancelled"], []]);
  });

  test("[AP10][AP14] 'always' said by the second one holds", async () => {
    const { room, it } = await openRouted("inherit_originator");
    await pass(room, 7000);
    room.decide({ decision: "always" });
    await room.rest();
    await room.run([calls({ name: "it" }), says("ok")]);
    expect(it.ran).toHaveLength(2);
  });
});

test("[AP11] anybody entitled may decide what the turn's own channel is asked; the first does, under its own name", async () => {
  const room = openSuspensionRoom({ tools: [createTool("it")], channels: ["phone"] });
  await room.run([calls({ name: "it" }), says("ok")]);
  const [asked = ""] = room.asked();
  room.decide(approve, asked, { channel: "phone", subject: "key:phone" });
  expect(slugOf(room.decide({ decision: "deny" }, asked))).toBe("approval-decided");
  await room.rest();
  expect(eventsOf(room.turn(), "approval_decided")).toMatchObject([{ decision: "approve", decided_by: "key:phone" }]);
});

describe("an entry that nobody can be asked through", () => {
  const identity = { interactive: false };

  test.each(["it", "shell"])(
    "[AP9][AP16] denies %s by rule; no person decided and no setting is named",
    async (name) => {
      const it = createNoting(name);
      const turn = await runOnce([calls({ name }), says("ok")], { tools: [it.tool], identity });
      expect([dispositionsOf(turn), it.ran]).toEqual([["denied"], []]);
      expect(resultsOf(turn)[0]).toMatch(/No person decided/);
      expect(resultsOf(turn)[0]).not.toMatch(/auto_approve|risk|profile|level/);
    },
  );

  test("[AP9][AP10] a route asks all the same, and has nobody to fall back on", async () => {
    const route = { approver_channel: "http", on_no_approver: "inherit_originator" } as const;
    const asked = runOnce([calls({ name: "it" })], {
      tools: [createTool("it")],
      identity,
      risk: { approval_route: route },
    });
    await expect(asked).rejects.toThrow("the turn waits for somebody");
    const missing = { ...route, approver_channel: "ops" } as const;
    const turn = await runOnce([calls({ name: "it" }), says("ok")], {
      tools: [createTool("it")],
      identity,
      risk: { approval_route: missing },
    });
    expect(dispositionsOf(turn)).toEqual(["denied"]);
  });
});
