/** What the runtime itself does to a call's arguments and name before anybody judges it. */
import { describe, expect, test } from "vitest";
import { defineHook } from "../../../src/config.ts";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { Tool, ToolRegistry } from "../../../src/contracts/tool.ts";
import { hiddenTools } from "../../../src/policy/tool-filter-groups.ts";
import { dispositionsOf, eventsOf, openConversation, resultsOf, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool } from "../../support/test-tools.ts";

const full = { risk: { level: "full" } } as const;

/** Runs one call of a tool with this name, and gives the arguments it was run with. */
async function argumentsOf(name: string, args: JsonObject, identity: object): Promise<JsonObject | undefined> {
  const it = createNoting(name, { approvalMarker: false });
  await runOnce([calls({ name, args }), says("ok")], { ...full, tools: [it.tool], identity });
  return it.ran[0];
}

describe("where a question is asked", () => {
  test.each([
    ["ask_user", {}, " ops ", { channel: "ops" }],
    ["poll", { channel: "  " }, "ops", { channel: "ops" }],
    ["escalate_to_human", { channel: null }, "ops", { channel: "ops" }],
    ["ask_user", {}, "agent", {}],
    ["ask_user", {}, "daemon", {}],
    ["ask_user", {}, " ", {}],
    ["ask_user", { channel: "mine" }, "ops", { channel: "mine" }],
    ["ask_somebody", {}, "ops", {}],
  ])("[CP9] %s with %j from %j", async (...[name, args, channel, expected]) => {
    expect(await argumentsOf(name, args as JsonObject, { channel })).toEqual(expected);
  });
});

describe("where a scheduled job reports", () => {
  const slack = { channel: "slack", replyTarget: " C7 " };
  const announce = { mode: "announce", channel: "slack", to: "C7" };
  const job = { job_type: "Agent" };
  test.each([
    ["no delivery", job, slack, { ...job, delivery: announce }],
    ["a delivery of null", { ...job, delivery: null }, slack, { ...job, delivery: announce }],
    ["a prompt and no type", { prompt: "look" }, slack, { prompt: "look", delivery: announce }],
    ["a mode of none", { ...job, delivery: { mode: "None" } }, slack, { ...job, delivery: { mode: "None" } }],
    [
      "half a delivery",
      { ...job, delivery: { to: "C8", mode: " " } },
      slack,
      { ...job, delivery: { ...announce, to: "C8" } },
    ],
    ["a delivery that is no object", { ...job, delivery: "here" }, slack, { ...job, delivery: "here" }],
    ["a job that is not for an agent", { job_type: "shell", prompt: " " }, slack, { job_type: "shell", prompt: " " }],
    ["a webhook", job, { channel: "hook:ci", replyTarget: "C7" }, job],
    ["no reply target", job, { channel: "slack", replyTarget: "  " }, job],
  ])("[CP10] %s", async (...[_what, args, identity, expected]) => {
    expect(await argumentsOf("cron_add", args as JsonObject, identity)).toEqual(expected);
  });

  test("[CP10] other tools are left alone", async () => {
    expect(await argumentsOf("cron_list", job, slack)).toEqual(job);
  });
});

describe("the approval marker", () => {
  const marked = (flags: Partial<Tool> = {}) =>
    createNoting("shell", { approvalMarker: true, readOnly: true, ...flags });
  const run = async (shell: ReturnType<typeof marked>, risk: object) =>
    await runOnce([calls({ name: "shell", args: { command: "pwd", approved: true } }), says("ok")], {
      risk,
      tools: [shell.tool],
      narrowing: { approvals: "deny" },
    });

  test("[CP11] the model's own `approved` helps nobody: the call is denied", async () => {
    const shell = marked();
    expect(dispositionsOf(await run(shell, {}))).toEqual(["denied"]);
    expect(shell.ran).toEqual([]);
  });

  test.each([
    ["a rule approved it", { auto_approve: ["shell"] }, true],
    ["level full approved it", { level: "full" }, true],
    ["nobody had to", { level: "read_only" }, false],
  ])("[CP17][CP11] %s: approved is %s", async (_who, risk, approved) => {
    const shell = marked();
    await run(shell, risk);
    expect(shell.ran).toEqual([{ command: "pwd", approved }]);
  });
});

describe("names", () => {
  test.each([
    ["is withdrawn", { kind: "not_available" } as const],
    ["is unknown all at once", { kind: "unknown" } as const],
    [
      "has another definition",
      { kind: "granted", tool: createTool("b", () => "new", { definitionHash: "0" }) } as const,
    ],
  ])("[DI13] a tool that %s while an earlier call runs is not available, with one pair", async (_how, gone) => {
    let withdrawn = false;
    const a = createTool("a", () => ((withdrawn = true), "ok"));
    const b = createNoting("b");
    const tools = new Map([
      ["a", a],
      ["b", b.tool],
    ]);
    const registry: ToolRegistry = {
      visible: [a, b.tool],
      stubs: [],
      excludes: () => false,
      resolve: (name) => {
        const tool = tools.get(name);
        if (tool === undefined) return { kind: "unknown" };
        return name === "b" && withdrawn ? gone : { kind: "granted", tool };
      },
    };
    const turn = await runOnce([calls({ name: "a" }, { name: "b" }), says("ok")], { ...full, execution: { registry } });
    expect([dispositionsOf(turn), b.ran]).toEqual([["succeeded", "not_available"], []]);
    expect(eventsOf(turn, "tool_call").map(({ tool }) => tool)).toEqual(["a", "b"]);
  });
});

test("[DI13] neither is one that a hook led to from a name that is withdrawn meanwhile", async () => {
  let withdrawn = false;
  const a = createTool("a", () => ((withdrawn = true), "ok"));
  const c = createNoting("c");
  const registry: ToolRegistry = {
    visible: [a, c.tool],
    stubs: [],
    excludes: () => false,
    resolve: (name) => {
      if (name === "b" && withdrawn) return { kind: "not_available" };
      return { kind: "granted", tool: name === "a" ? a : c.tool };
    },
  };
  const hooks = [
    defineHook({ name: "lead", on: "before_tool_call", run: ({ tool }) => (tool === "b" ? { tool: "c" } : undefined) }),
  ];
  const script = [calls({ name: "a" }, { name: "b" }), says("ok")];
  const turn = await runOnce(script, { ...full, execution: { registry, hooks } });
  expect([dispositionsOf(turn), c.ran]).toEqual([["succeeded", "not_available"], []]);
});

describe("filter groups", () => {
  const web = createNoting("web__browse", { origin: "mcp" });
  const looksLikeIt = createNoting("x__y");
  const tools = [web.tool, looksLikeIt.tool];
  const groups = [{ mode: "dynamic", tools: ["web__*"], keywords: ["browse"] }] as const;
  const hidden = (message: string) => [
    ...hiddenTools(
      groups,
      tools.map(({ definition, origin }) => ({ name: definition.name, origin })),
      message,
    ),
  ];
  const offered = (conversation: ReturnType<typeof openConversation>): unknown =>
    conversation.provider.requests
      .at(-1)
      ?.tools.map(({ tool }) => tool)
      .filter((name) => name.includes("__"));

  test("[TS5][TS6][TS7][TS8][FG4] offered when the turn's own message matches, hidden in a turn that does not", async () => {
    const conversation = openConversation({ ...full, tools });
    await conversation.run([says("ok")], { hidden: hidden("Please BROWSE this") });
    expect(offered(conversation)).toEqual(["web__browse", "x__y"]);
    const script = [calls({ name: "web__browse" }, { name: "x__y" }), says("ok")];
    const turn = await conversation.run(script, { hidden: hidden("hello") });
    expect(offered(conversation)).toEqual(["x__y"]);
    expect(
      Object.fromEntries(eventsOf(turn, "tool_result").map(({ tool, disposition }) => [tool, disposition])),
    ).toEqual({
      web__browse: "not_available",
      x__y: "succeeded",
    });
    const again = await conversation.run(script, { hidden: hidden("browse again") });
    expect(dispositionsOf(again)).toEqual(["succeeded", "succeeded"]);
  });

  test("[FG5] a hidden name is not suggested", async () => {
    const suggested = async (message: string) =>
      resultsOf(
        await runOnce([calls({ name: "web__brows" }), says("ok")], { ...full, tools, hidden: hidden(message) }),
      )[0];
    expect(await suggested("browse")).toContain("web__browse");
    expect(await suggested("hello")).not.toContain("web__browse");
  });

  test("[TS9] a group that is always open grants nothing", async () => {
    const always = hiddenTools([{ mode: "always", tools: ["far__*"], keywords: [] }], [], "hello");
    const turn = await runOnce([calls({ name: "far__away" }), says("ok")], { ...full, tools, hidden: [...always] });
    expect(dispositionsOf(turn)).toEqual(["unknown_tool"]);
  });
});
