/** Where a turn's answers go: what its entry says of it reaches the calls that need it. */
import { expect, test } from "vitest";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting } from "../support/test-tools.ts";

useStillClock();

const risk = { level: "full" } as const;

test.each([
  ["a place to reply to", { reply_to: "C042" }, { mode: "announce", channel: "slack", to: "C042" }],
  ["none", {}, undefined],
  ["one that is no text", { reply_to: 42 }, undefined],
  ["a blank one", { reply_to: " " }, undefined],
])("[CP10][RX2] a job that is added from a chat with %s", async (_what, metadata, delivery) => {
  const { tool, ran } = createNoting("cron_add");
  const room = openSuspensionRoom({ tools: [tool], risk });
  await room.run([calls({ name: "cron_add", args: { prompt: "report" } }), says("ok")], { metadata, channel: "slack" });
  expect(ran[0]?.["delivery"]).toEqual(delivery);
});

test("[CP9] a question goes to the channel that its turn came by", async () => {
  const { tool, ran } = createNoting("ask_user");
  const room = openSuspensionRoom({ tools: [tool], risk });
  await room.run([calls({ name: "ask_user", args: { channel: " " } }), says("ok")], { channel: "slack" });
  expect(ran).toEqual([{ channel: "slack" }]);
});

test("[CP10][CK3] a job that had to be approved has the place that its turn began with", async () => {
  const { tool, ran } = createNoting("cron_add");
  const room = openSuspensionRoom({ tools: [tool] });
  const job = calls({ name: "cron_add", args: { prompt: "report" } });
  await room.run([job, job, says("ok")], { metadata: { reply_to: "C042" }, channel: "slack" });
  for (let left = 2; left > 0; left -= 1) {
    room.evict();
    room.decide({ decision: "approve" }, undefined, { channel: "slack" });
    await room.rest();
  }
  expect(ran.map((args) => args["delivery"])).toEqual(
    [1, 2].map(() => ({ mode: "announce", channel: "slack", to: "C042" })),
  );
});
