/** However a frame is entered, it goes by the same rules, and its iterations by one order. */
import { expect, test } from "vitest";
import { dispositionsOf } from "../support/core-fixture.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const twice = calls({ name: "it" }, { name: "it" });

test.each([
  ["a new turn", [twice, says("ok")]],
  ["a turn that waited", [calls({ name: "asks" }), twice, says("ok")]],
  ["a delegate", [calls({ name: "delegate", args: { agent: "bob", prompt: "go" } }), twice, says("ok"), says("ok")]],
])("[RX4] the same two calls in %s: one runs, one is a duplicate", async (_entry, script) => {
  const it = createNoting("it");
  const room = openSuspensionRoom({
    tools: [it.tool, createTool("asks")],
    agents: { bob: {} },
    risk: { auto_approve: ["it", "delegate"], delegation_policy: { mode: "allow" } },
  });
  await room.run(script);
  if (room.asked().length > 0) {
    room.evict();
    room.decide({ decision: "approve" });
    await room.rest();
  }
  const own = dispositionsOf(room.turn()).filter(
    (_, at) => script.length === 2 || at !== (script.length === 3 ? 0 : 2),
  );
  expect([room.turn().state, own, it.ran.length]).toEqual(["completed", ["duplicate", "succeeded"], 1]);
});

test("[RX12] steering comes first in an iteration, then the switch of the model, then the request", async () => {
  const steers = createTool("steers", () => {
    room.steer("and hurry");
    return "ok";
  });
  const setup: RoomSetup = {
    tools: [steers],
    risk: { level: "full" },
    agent: { builtin_tools: ["model_switch"], switchable_models: ["scripted/large"] },
  };
  const room = openSuspensionRoom(setup);
  const switching = { name: "model_switch", args: { action: "set", model: "scripted/large" } };
  const turn = await room.run([calls(switching, { name: "steers" }), says("ok")]);
  const types = turn.events.map(({ type }) => type);
  const behind = types.slice(types.lastIndexOf("tool_result") + 1);
  expect(behind).toEqual(["steering", "model_switched", "text_delta", "usage", "turn_finished"]);
  expect(room.provider.requests[1]).toMatchObject({ model: "large" });
  expect(JSON.stringify(room.provider.requests[1]?.messages)).toContain("and hurry");
});
