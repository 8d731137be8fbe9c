/** What the verbs answer that come too late: each names what stands in their way. */
import { expect, test } from "vitest";
import type { Result } from "../../src/contracts/result.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const ask = calls({ name: "asks", args: {} });
const openAsked = async () => {
  const room = openSuspensionRoom({ tools: [createTool("asks")] });
  await room.run([ask, says("ok")]);
  const [approval = ""] = room.asked();
  return { room, approval, decide: (decision: "approve" | "deny") => room.decide({ decision }, approval) };
};

const refusalOf = (answer: Result<unknown, unknown>): unknown => (answer.ok ? undefined : answer.failure);

test("[SE22] another decision is told which one stands: whose, from where, since when", async () => {
  const { decide } = await openAsked();
  decide("deny");
  expect(refusalOf(decide("approve"))).toMatchObject({
    slug: "approval-decided",
    members: {
      decision: "deny",
      provenance: "operator",
      decided_by: "key:dev",
      decided_at: new Date().toISOString(),
    },
  });
});

test("[SE22] a decision behind the deadline is told when that was", async () => {
  const { room, decide } = await openAsked();
  const expiry = new Date(Date.now() + 120_000).toISOString();
  room.pass(120_000);
  expect(refusalOf(decide("approve"))).toMatchObject({ slug: "approval-expired", members: { expires_at: expiry } });
});

test("[SE22] a decision behind a cancel is told that there was one", async () => {
  const { room, decide } = await openAsked();
  room.cancel();
  expect(refusalOf(decide("approve"))).toMatchObject({ slug: "approval-void", members: { state: "cancelled" } });
});

test("[LC26][G11] a message and a cancel that come too late are told how the turn ended; of no turn, nothing", async () => {
  const { room } = await openAsked();
  room.post("behind it");
  expect(refusalOf(room.steer("early", "trn_2"))).toMatchObject({
    slug: "turn-not-running",
    members: { state: "queued" },
  });
  room.provider.script(says("done"));
  room.decide({ decision: "deny" });
  await room.rest();
  expect(refusalOf(room.steer("late"))).toMatchObject({ slug: "turn-not-running", members: { state: "completed" } });
  expect(refusalOf(room.cancel())).toMatchObject({ slug: "turn-finished", members: { outcome: "completed" } });
  for (const answer of [
    room.steer("x", "trn_9"),
    room.cancel("trn_9"),
    await room.answer({ c: { success: true, output: "" } }, "trn_9"),
  ]) {
    expect(refusalOf(answer)).toMatchObject({ slug: "not-found" });
  }
});
