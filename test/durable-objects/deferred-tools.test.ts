/** Deferred tools over suspension, eviction and a configuration that changed meanwhile. */
import { expect, test } from "vitest";
import { dispositionsOf } from "../support/core-fixture.ts";
import { createStub, deferred, load } from "../support/deferred-fixture.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const asks = createTool("asks");
const setupOf = (names: readonly string[], more: RoomSetup = {}): RoomSetup => ({
  ...deferred,
  tools: [asks, ...names.map((name) => createStub(name).tool)],
  risk: { auto_approve: ["tool_search", "a__*"] },
  ...more,
});
const foreign = (room: ReturnType<typeof openSuspensionRoom>, at = -1) =>
  room.provider.requests.at(at)?.tools.flatMap(({ tool }) => (tool.includes("__") ? [tool] : []));

test("[TS15][TS1][DM13] evicted between turns: the set is there again in its order, and callable without a search", async () => {
  const room = openSuspensionRoom(setupOf(["a__1", "a__2"]));
  await room.run([calls(load("a__2", "a__1")), says("ok")]);
  room.evict();
  await room.run([calls({ name: "a__1" }), says("ok")]);
  expect(foreign(room)).toEqual(["a__2", "a__1"]);
  expect(dispositionsOf(room.turn("trn_2"))).toEqual(["succeeded"]);
});

test("[TS11][TS23][CK3] evicted while it waits: the listing of its start, the specs grown by what was loaded", async () => {
  const room = openSuspensionRoom(setupOf(["a__1", "a__2"]));
  await room.run([calls(load("a__1")), calls({ name: "asks" }), calls({ name: "a__1" }), says("ok")]);
  room.evict();
  room.decide(approve);
  await room.rest();
  const [first, , third] = room.provider.requests;
  expect(first?.system).toContain("a__1 - ");
  expect(third?.system).toBe(first?.system);
  expect(third?.tools.slice(0, first?.tools.length)).toEqual(first?.tools);
  expect(foreign(room)).toEqual(["a__1"]);
  expect(dispositionsOf(room.turn())).toEqual(["succeeded", "succeeded", "succeeded"]);
});

test("[CP8][CK8] a search and a call behind it that asks: both run once it is approved", async () => {
  const room = openSuspensionRoom(setupOf(["b__x"]));
  await room.run([calls(load("b__x"), { name: "b__x" }), says("ok")]);
  expect(dispositionsOf(room.turn())).toEqual([]);
  room.evict();
  room.decide(approve);
  await room.rest();
  expect(dispositionsOf(room.turn())).toEqual(["succeeded", "succeeded"]);
});

test.each([
  ["gone", setupOf(["a__2"])],
  ["excluded", setupOf(["a__1", "a__2"], { risk: { auto_approve: ["a__*"], excluded_tools: ["a__1"] } })],
])("[RX7][TS15] a loaded tool that is %s when its turn goes on is inert there", async (_how, changed) => {
  const room = openSuspensionRoom(setupOf(["a__1", "a__2"]));
  await room.run([calls(load("a__1", "a__2")), calls({ name: "asks" }), calls({ name: "a__1" }), says("ok")]);
  room.evict(changed);
  room.decide(approve);
  await room.rest();
  expect(foreign(room)).toEqual(["a__2"]);
  expect(room.provider.requests.at(-1)?.system).not.toContain("a__1");
  expect(dispositionsOf(room.turn()).slice(2)).toEqual(["not_available"]);
});

test("[RX7] a stub that came meanwhile is for the next turn: not found, not listed", async () => {
  const room = openSuspensionRoom(setupOf(["a__1"]));
  await room.run([calls({ name: "asks" }), calls(load("a__new", "a__1")), says("ok")]);
  room.evict(setupOf(["a__1", "a__new"]));
  room.decide(approve);
  await room.rest();
  expect(foreign(room)).toEqual(["a__1"]);
  await room.run([says("ok")]);
  expect(room.provider.requests.at(-1)?.system).toContain("a__new - ");
});

test("[DM10][DM7] a group that always shows more than the set takes fills it in stub order, and the rest stays listed", async () => {
  const groups = [{ mode: "always" as const, tools: ["a__*"] }];
  const room = openSuspensionRoom(
    setupOf(["a__1", "a__2", "a__3"], {
      mcp: { deferred_loading: true, max_activated_tools: 2 },
      runtime: { tool_filter_groups: groups },
    }),
  );
  await room.run([says("ok")]);
  expect(foreign(room)).toEqual(["a__1", "a__2"]);
  expect(room.provider.requests.at(-1)?.system).toContain("<deferred_tools>\na__3 - ");
});

test("[RX7][TS4] a bare name that was excluded when the turn began stays so, whatever it leads to", async () => {
  const risk = { auto_approve: ["tool_search", "a__*"] };
  const room = openSuspensionRoom(setupOf(["a__get"]));
  await room.run([calls(load("a__get")), says("ok")]);
  room.evict(setupOf(["a__get"], { risk: { ...risk, excluded_tools: ["GET"] } }));
  await room.run([calls({ name: "asks" }), calls({ name: "get" }), says("ok")]);
  room.evict(setupOf(["a__get"]));
  room.decide(approve);
  await room.rest();
  expect(dispositionsOf(room.turn("trn_2"))).toEqual(["succeeded", "not_available"]);
});

test("[FG4][TS8][TS11] what a message hides of stubs is hidden in listing and search, also after an eviction", async () => {
  const groups = [{ mode: "dynamic" as const, tools: ["a__1"], keywords: ["hello"] }];
  const room = openSuspensionRoom(setupOf(["a__1", "a__2"], { runtime: { tool_filter_groups: groups } }));
  await room.run([calls({ name: "asks" }), calls(load("a__1", "a__2")), says("ok")]);
  room.evict();
  room.decide(approve);
  await room.rest();
  expect(room.provider.requests[0]?.system).toContain("<deferred_tools>\na__1 - The tool a__1.\n</deferred_tools>");
  expect(foreign(room)).toEqual(["a__1"]);
});
