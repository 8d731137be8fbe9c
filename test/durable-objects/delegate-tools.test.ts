/** What a delegate's frame is offered: stubs it was handed, stubs it finds, what its own groups hide; and what is told of the tool that opens it. */
import { expect, test, vi } from "vitest";
import { toolsOfAgent } from "../../durable-objects/agent-tools.ts";
import { createStub, deferred, load } from "../support/deferred-fixture.ts";
import { delegateSetup, handTo, requestsOf, runDelegates, stepsOf } from "../support/delegate-room.ts";
import { type RoomSetup, deploymentOf } from "../support/room-deployment.ts";
import { calls, createScriptedProvider, says } from "../support/scripted-provider.ts";
import { type SuspensionRoom, approveAll, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const stubs = ["files__read", "files__list", "mail__send"].map((name) => createStub(name).tool);
const setup: RoomSetup = {
  ...deferred,
  tools: [...stubs, createTool("asks")],
  risk: { auto_approve: ["delegate", "tool_search", "files__*", "mail__*"] },
};
const foreign = (room: SuspensionRoom, alias: string, at = -1): readonly string[] =>
  requestsOf(room, alias)
    .at(at)
    ?.tools.flatMap(({ tool }) => (tool.includes("__") ? [tool] : [])) ?? [];

test.each(["stays", "is evicted in the child"])(
  "[DG7][DM13] it begins with what its caller has loaded, and keeps what it loads itself; the object %s",
  async (how) => {
    const { room } = await runDelegates(
      {
        ada: [calls(load("files__read")), calls(handTo("ben")), says("a")],
        ben: [calls(load("files__list")), calls({ name: "asks" }), calls({ name: "files__list" }), says("b")],
      },
      setup,
    );
    await approveAll(room, () => (how === "stays" ? undefined : room.evict()));
    expect(foreign(room, "ben", 0)).toEqual(["files__read"]);
    expect(foreign(room, "ben")).toEqual(["files__read", "files__list"]);
    expect(stepsOf(room.turn())).toContain("ben files__list succeeded");
    expect(foreign(room, "ada")).toEqual(["files__read"]);
  },
);

test("[DG7][DG3] of what its caller has loaded it is handed only what its own grant admits; it finds no stub that its caller lacks", async () => {
  const his = { delegation_policy: { mode: "allow" }, auto_approve: ["*"], excluded_tools: ["files__read"] } as const;
  const { room, turn } = await runDelegates(
    {
      ada: [calls(load("files__read")), calls(handTo("ben")), says("a")],
      ben: [calls(load("files__read", "mail__send")), calls(load("files__list")), says("b")],
    },
    {
      ...setup,
      agent: { delegates: ["ben"] },
      agents: { ben: { risk_profile: "his" } },
      risk: { ...setup.risk, excluded_tools: ["mail__send"] },
      risks: { his },
    },
  );
  expect(foreign(room, "ben", 0)).toEqual([]);
  expect(requestsOf(room, "ben")[0]?.system).toContain("files__list - ");
  expect(requestsOf(room, "ben")[0]?.system).not.toMatch(/files__read|mail__send/);
  expect(foreign(room, "ben")).toEqual(["files__list"]);
  expect(stepsOf(turn)).toContain("ben tool_search succeeded");
});

test("[DG3][DG7][DM1] whether its stubs wait for a search goes by what it has beside its caller, not by what it would have alone", async () => {
  const { room } = await runDelegates(
    { ada: [calls(handTo("ben")), says("a")], ben: [calls({ name: "files__read" }), says("b")] },
    {
      ...setup,
      mcp: { deferred_loading: "auto", deferred_auto_min: 1 },
      agent: { delegates: ["ben"] },
      agents: { ben: { risk_profile: "his" } },
      risk: { ...setup.risk, excluded_tools: ["mail__send", "files__list"] },
      risks: { his: { delegation_policy: { mode: "allow" }, auto_approve: ["*"] } },
    },
  );
  expect(foreign(room, "ben")).toEqual(["files__read"]);
  expect(stepsOf(room.turn())).toContain("ben files__read succeeded");
});

test.each([
  ["Send a mail.", ["mail__send"], "not_available"],
  ["List my FILES.", ["files__read", "files__list"], "succeeded"],
] as const)(
  "[DG8][TS7][TS8][FG4] its own groups, judged on its prompt, stubs too: %j",
  async (prompt, shown, disposition) => {
    const groups = [
      { tools: ["files__*"], keywords: ["files"] },
      { tools: ["mail__*"], keywords: ["mail"] },
    ];
    const { room } = await runDelegates(
      {
        ada: [calls(handTo("ben", prompt)), says("a")],
        ben: [calls({ name: "asks" }), calls(load("files__list")), calls({ name: "files__list" }), says("b")],
      },
      {
        ...setup,
        agents: { ben: { runtime_profile: "grouped" } },
        runtimes: { grouped: { tool_filter_groups: groups } },
      },
    );
    const listed = requestsOf(room, "ben")[0]?.system.match(/\w+__\w+(?= - )/g);
    expect(listed).toEqual(shown);
    await approveAll(room, () => room.evict());
    expect(requestsOf(room, "ada")[0]?.system.match(/\w+__\w+(?= - )/g)).toHaveLength(3);
    expect(stepsOf(room.turn())).toContain(`ben files__list ${disposition}`);
  },
);

test("[TC16][RG1][RX14] the listing of an agent's tools has `delegate` where somebody is in reach, as one that asks", () => {
  const listed = (changes: RoomSetup) => {
    const deployment = deploymentOf(
      delegateSetup({ risk: { auto_approve: [] }, ...changes }),
      createScriptedProvider(),
    );
    const ada = deployment.config.agents.get("ada");
    if (ada === undefined) throw new Error("there is ada");
    return toolsOfAgent(deployment, ada, {})
      .describe()
      .filter(({ tool }) => tool.definition.name === "delegate");
  };
  expect(listed({})).toMatchObject([{ prompts: true, visible: true, deferred: false, tool: { origin: "delegate" } }]);
  expect(listed({ agents: {} })).toEqual([]);
  expect(listed({ risk: { delegation_policy: { mode: "forbidden" } } })).toEqual([]);
  expect(listed({ runtime: { max_delegation_depth: 0 } })).toEqual([]);
});

test("[EV10][RD4] observer records of it name its agent and its caller", async () => {
  await runDelegates(
    {
      ada: [calls(handTo("ben")), says("a")],
      ben: [calls({ name: "calculator", args: { expression: "1" } }), says("b")],
    },
    { observability: { log_level: "debug" }, risk: { auto_approve: ["*"] } },
  );
  const lines = vi.mocked(console.debug).mock.calls.map(([line]): unknown => JSON.parse(String(line)));
  const started = expect.objectContaining({ agent: "ben", parentAgent: "ada", turn: "trn_1", tool: "calculator" });
  expect(lines).toContainEqual(started);
  const ends = lines.filter((line) => JSON.stringify(line).includes("observed_agent_end"));
  expect(ends).toMatchObject([
    { agent: "ben", parentAgent: "ada", outcome: "final" },
    { agent: "ada", outcome: "final" },
  ]);
});
