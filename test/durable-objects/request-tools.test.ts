/** Tools that a request brings: one turn's, nobody is asked about them, no name of the agent's is shadowed, no delegate has them. */
import type { Tool } from "../../src/contracts/tool.ts";
import { createBoard } from "../support/progress-board.ts";
import { describe, expect, test, vi } from "vitest";
import { assembleExecution } from "../../durable-objects/assemble.ts";
import { judgeRequestTools } from "../../durable-objects/judge-request-tools.ts";
import type { RequestTool } from "../../src/contracts/turn.ts";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { type RoomSetup, deploymentOf } from "../support/room-deployment.ts";
import { calls, createScriptedProvider, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";
import { createTestTenant } from "../support/test-tenant.ts";

useStillClock();

const colour: RequestTool = {
  name: "pick_colour",
  parameters: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
};
const clientTools = [colour];
const pick = { name: "pick_colour", args: { of: "sky" } };
const answered = { call_trn_1_1: { success: true, output: "blue" } } as const;

describe("in its turn", () => {
  test("[TC29][VW5] it is offered behind all others, named by itself, and runs without a prompt or a receipt", async () => {
    const room = openSuspensionRoom({ tools: [createTool("own")] });
    const waiting = await room.run([calls(pick), says("blue it is")], { clientTools });
    const offered = room.provider.requests[0]?.tools.at(-1);
    expect(offered).toMatchObject({ tool: "pick_colour", description: "pick_colour", parameters: colour.parameters });
    expect([waiting.state, room.asked()]).toEqual(["suspended", []]);
    expect(eventsOf(waiting, "client_tool_requested")[0]).toMatchObject({
      tool: "pick_colour",
      arguments: { of: "sky" },
    });
    await room.answer(answered);
    await room.rest();
    const turn = room.turn();
    expect([turn.state, ...dispositionsOf(turn)]).toEqual(["completed", "client_result"]);
    expect(eventsOf(turn, "tool_result")[0]).not.toHaveProperty("receipt");
  });

  test("[TC29] its arguments are checked before anybody is asked to run it", async () => {
    const room = openSuspensionRoom();
    const turn = await room.run([calls({ name: "pick_colour" }), says("ok")], { clientTools });
    expect([turn.state, ...dispositionsOf(turn)]).toEqual(["completed", "invalid_arguments"]);
  });

  test("[TC29][VW5] what must always be asked about is asked about", async () => {
    const room = openSuspensionRoom({ risk: { always_ask: ["pick_*"] } });
    await room.run([calls(pick), says("ok")], { clientTools });
    expect(room.asked()).toHaveLength(1);
  });

  test("[TC29][CK5] it is there after an eviction, and gone with the turn", async () => {
    const room = openSuspensionRoom();
    await room.run([calls(pick), calls(pick), says("ok")], { clientTools });
    room.evict();
    await room.answer(answered);
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    room.evict();
    await room.answer({ call_trn_1_2: { success: true, output: "green" } });
    await room.rest();
    expect(room.turn().state).toBe("completed");
    const next = await room.run([calls(pick), says("ok")]);
    expect(dispositionsOf(next)).toEqual(["unknown_tool"]);
    expect(room.provider.requests.at(-1)?.tools.map(({ tool }) => tool)).not.toContain("pick_colour");
  });

  test.each([
    ["the run", { narrowing: { excludedTools: ["pick_*"] } }, {}],
    ["the profile", {}, { risk: { excluded_tools: ["pick_colour"] } }],
    ["its allowed tools", {}, { risk: { allowed_tools: ["calculator"] } }],
    ["the level", {}, { risk: { level: "read_only" } }],
  ] as const)("[RG2][TC29] %s takes it away like any tool", async (_who, how, setup: RoomSetup) => {
    const room = openSuspensionRoom(setup);
    const turn = await room.run([calls(pick), says("ok")], { clientTools, ...how });
    expect(dispositionsOf(turn)).toEqual(["not_available"]);
  });

  test("[TC5] one whose schema cannot be checked is left out alone, and an operator is told", async () => {
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ type: "object", properties: { inner } }), {});
    const broken: RequestTool = { name: "broken", parameters: deep as NonNullable<RequestTool["parameters"]> };
    const room = openSuspensionRoom();
    const turn = await room.run([calls({ name: "broken" }), says("ok")], { clientTools: [broken, colour] });
    const names = room.provider.requests[0]?.tools.map(({ tool }) => tool) ?? [];
    expect([names.includes("broken"), names.includes("pick_colour")]).toEqual([false, true]);
    expect(dispositionsOf(turn)).toEqual(["unknown_tool"]);
    const lines = vi.mocked(console.warn).mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes("tool_quarantined"))).not.toEqual([]);
  });

  test.each(["__proto__", "constructor", "toString", "-1"])(
    "[TC2][SE58] one named %s is run by the client",
    async (name) => {
      const room = openSuspensionRoom();
      const waiting = await room.run([calls({ name }), says("ok")], { clientTools: [{ name }] });
      expect(waiting.open.clientCalls.map(({ tool }) => tool)).toEqual([name]);
      expect("polluted" in {}).toBe(false);
    },
  );
});

describe("before anything is written", () => {
  const judge = (setup: RoomSetup, ...names: readonly string[]) => {
    const deployment = deploymentOf(setup, createScriptedProvider());
    const agent = deployment.config.agents.get("ada");
    if (agent === undefined) throw new Error("no agent");
    const judged = judgeRequestTools(
      deployment,
      agent,
      names.map((name) => ({ name })),
    );
    return judged.ok ? [] : judged.failure.errors?.map(({ path }) => path);
  };
  const granting = { agent: { client_tools_from_request: true } };

  test("[TC29][VW5] an agent that does not grant it takes none", () => {
    expect(judge({}, "new_one")).toEqual(["client_tools"]);
    expect(judge({})).toEqual([]);
    expect(judge(granting, "new_one")).toEqual([]);
  });

  test("[TC29][RG7] a name that the agent has, offered or not, is refused at its place", () => {
    const tools = [createTool("mine"), createTool("barred")];
    const setup = { ...granting, tools, risk: { excluded_tools: ["barred"] } };
    expect(judge(setup, "new_one", "calculator", "mine", "barred", "delegate")).toEqual(
      [1, 2, 3, 4].map((at) => `client_tools.${at}.name`),
    );
  });

  test("[TC29][MC6] nor a name that a tool of an MCP server could have, whatever it lists by now", () => {
    const servers = [{ name: "hub", url: "http://127.0.0.1:9/mcp" }];
    const setup = { ...granting, mcp: { servers }, reachable: [9] } as const;
    expect(judge(setup, "hub_x", "hub__delete_repo", "hubs__x")).toEqual(["client_tools.1.name"]);
  });
});

/** A turn of `ada` whose request brought `send`, on a deployment that has, or by now has, these tools of servers. */
const assembledWith = (setup: RoomSetup, foreign: readonly Tool[] = []) =>
  assembleExecution({
    deployment: deploymentOf(setup, createScriptedProvider()),
    tenant: createTestTenant(),
    progress: createBoard(),
    mcp: { toolsOf: () => ({ tools: foreign, disabled: [] }), isCurrent: () => true },
    turn: {
      n: 1,
      id: "trn_1",
      agent: "ada",
      state: "running",
      entry: "http",
      channel: "http",
      subject: "key:dev",
      narrowing: {},
      attempt: 1,
      acceptedAt: 0,
    },
    scope: { tenant: "dev", conversation: "c", scopeId: "c", salt: new Uint8Array(16) },
    requestTools: [{ name: "send" }],
    barred: [],
  });

test("[TC29][RX5][RX7] a tool of its name that came from elsewhere is not approved by it", () => {
  const send = createTool("send", undefined, { origin: "mcp" });
  const taken = assembledWith({}, [send]);
  expect(taken.registry.resolve("send")).toMatchObject({ tool: { origin: "mcp" } });
  expect(taken.risk.autoApprove).not.toContain("send");
  expect(assembledWith({}).risk.autoApprove).toContain("send");
});

test("[TC29] a delegate has none of them, nor its own tool of such a name", () => {
  const execution = assembledWith({
    tools: [createTool("send"), createTool("shared")],
    bundles: { callers: { tools: ["shared"] } },
    agent: { tool_bundles: ["callers"] },
    agents: { bob: {} },
    risk: { delegation_policy: { mode: "allow" }, level: "full", auto_approve: ["*"] },
  });
  expect(execution.registry.resolve("send")).toMatchObject({ kind: "granted", tool: { origin: "client" } });
  const below = execution.delegates.resolve("bob", execution);
  expect(below.registry.resolve("shared").kind).toBe("granted");
  expect(below.registry.resolve("send").kind).toBe("not_available");
  expect(below.risk.autoApprove).not.toContain("send");
});
