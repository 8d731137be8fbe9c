/** What a delegate may do: what both policies allow, pinned to what its caller had, and no further than the depth, the pot and the caps go. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { handTo, requestsOf, resultsOf, runDelegates, stepsOf } from "../support/delegate-room.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import { useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const allow = { delegation_policy: { mode: "allow" } } as const;
const useFree = calls({ name: "free", args: { n: 1 } });
/** `ben` has a profile of his own, which `ada` names him beside. */
const benWith = (risk: NonNullable<RoomSetup["risk"]>, more: RoomSetup = {}): RoomSetup => ({
  ...more,
  agent: { delegates: ["ben"] },
  agents: { ben: { risk_profile: "his" } },
  risks: { his: { ...allow, auto_approve: ["*"], ...risk } },
});

describe("both policies", () => {
  test.each([
    ["the caller excludes it", benWith({}, { risk: { excluded_tools: ["free"] } }), {}],
    ["the target excludes it", benWith({ excluded_tools: [" FREE "] }), {}],
    ["the caller does not allow it", benWith({}, { risk: { allowed_tools: ["delegate", "calculator"] } }), {}],
    ["the target does not allow it", benWith({ allowed_tools: ["calculator"] }), {}],
    ["the target only reads", benWith({ level: "read_only" }), {}],
    ["the run leaves it out", benWith({}), { excludedTools: ["free"] }],
    ["the run names others", benWith({}), { allowedTools: ["delegate", "calculator"] }],
  ] as const)("[RX13][DG3][RG6][RG8][RX5] %s: the child neither sees nor runs it", async (_what, setup, narrowing) => {
    const free = createNoting("free");
    const { room, turn } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [useFree, says("b")] },
      { ...setup, tools: [free.tool] },
      { narrowing },
    );
    expect(requestsOf(room, "ben")[0]?.tools.map(({ name }) => name)).not.toContain("free");
    expect(stepsOf(turn)).toContain("ben free not_available");
    expect(free.ran).toEqual([]);
  });

  test.each([
    ["auto-approved by the target alone", benWith({}), true],
    ["auto-approved by the caller alone", benWith({ auto_approve: [] }, { risk: { auto_approve: ["*"] } }), true],
    ["auto-approved by both", benWith({}, { risk: { auto_approve: ["delegate", "f*"] } }), false],
    ["in the caller's `always_ask`", benWith({}, { risk: { auto_approve: ["*"], always_ask: ["free"] } }), true],
    ["at the caller's level, the target being free", benWith({ level: "full" }), true],
    ["with both free", benWith({ level: "full" }, { risk: { level: "full" } }), false],
  ] as const)("[DG3] a tool %s asks in the child: %s", async (_what, setup, asks) => {
    const { turn } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [useFree, says("b")] },
      { ...setup, risk: { auto_approve: ["delegate"], ...setup.risk }, tools: [createTool("free")] },
    );
    expect(eventsOf(turn, "approval_requested").map(({ agent }) => agent)).toEqual(asks ? ["ben"] : []);
  });
});

describe("who is reached", () => {
  test("[RX14][DG2] an unknown, a disabled, a distant target, and itself: failed, naming those in reach; nobody is asked", async () => {
    const { turn } = await runDelegates(
      { ada: [calls(handTo("nobody"), handTo("cy"), handTo("dot"), handTo("ada")), says("a")] },
      { agents: { ben: {}, cy: { enabled: false }, dot: { risk_profile: "far" } }, risks: { far: {} } },
    );
    expect(dispositionsOf(turn)).toEqual(["failed", "failed", "failed", "failed"]);
    for (const [at, alias] of ["nobody", "cy", "dot", "ada"].entries()) {
      expect(resultsOf(turn)[at]).toBe(`"${alias}" cannot be delegated to. Agents that can: ben.`);
    }
  });

  test("[RX14][RG11] forbidden: not offered, and a call of it is not available", async () => {
    const { room, turn } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")] },
      { risk: { delegation_policy: { mode: "forbidden" } } },
    );
    expect(requestsOf(room, "ada")[0]?.tools.map(({ name }) => name)).not.toContain("delegate");
    expect(dispositionsOf(turn)).toEqual(["not_available"]);
  });

  test.each([
    ["three levels, the most there are", {}, [0, 1, 2, 3], ["not_available", "succeeded", "succeeded", "succeeded"]],
    ["none", { max_delegation_depth: 0 }, [0], ["not_available"]],
    [
      "what the caller's profile says",
      { max_delegation_depth: 1 },
      [0, 1, 1],
      [...Array(2).fill("not_available"), "succeeded"],
    ],
  ])("[RX14] depth: %s", async (...[, runtime, depths, dispositions]) => {
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben")), says("a")],
        ben: [calls(handTo("cy")), calls(handTo("dot")), says("b"), says("b")],
        cy: [calls(handTo("ben")), says("c")],
      },
      { runtime },
    );
    expect(eventsOf(turn, "tool_call").map((event) => event.parent_calls?.length ?? 0)).toEqual(depths);
    expect(dispositionsOf(turn)).toEqual(dispositions);
    expectSound(room.sql);
  });
});

describe("the pot", () => {
  test("[LC3][CK3] five in all: one for the caller, three for its delegate, one more; then it is empty", async () => {
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben")), useFree, says("never"), says("never")],
        ben: [useFree, calls({ name: "free", args: { n: 2 } }), says("b")],
      },
      { tools: [createTool("free")], runtime: { max_tool_iterations: 5, max_iteration_behavior: "error" } },
    );
    expect([turn.state, turn.reason, resultsOf(turn)[0]]).toEqual(["capped", "shared_budget", "b"]);
    expect(room.provider.requests).toHaveLength(5);
    expect(eventsOf(turn, "turn_finished")).toMatchObject([{ iterations: 5 }]);
  });

  test("[LC3][EX14][DG11] many takers at once never get more than it held; who finds it empty has failed", async () => {
    const agents = ["ben", "cy", "dot"];
    const { room, turn } = await runDelegates(
      {
        ada: [calls(...agents.map((alias) => handTo(alias))), says("never")],
        ...Object.fromEntries(agents.map((alias) => [alias, [useFree, useFree, useFree, says("x")]])),
      },
      {
        tools: [createTool("free")],
        runtime: { max_tool_iterations: 4, max_iteration_behavior: "error", parallel_tools: true },
      },
    );
    expect(room.provider.requests).toHaveLength(4);
    expect(dispositionsOf(turn).slice(-3)).toEqual(["failed", "failed", "failed"]);
    expect(resultsOf(turn)).toEqual(agents.map(() => "The agent ended without an answer: shared_budget."));
    expect([turn.state, turn.reason]).toEqual(["capped", "shared_budget"]);
    expectSound(room.sql);
  });
});
