/** Arguments once they are digested: whoever is shown them, what is recorded, approved and run is what was digested. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineHook } from "../../../src/config.ts";
import type { JsonObject } from "../../../src/contracts/json.ts";
import { canonicalJson } from "../../../src/receipts/canonical-json.ts";
import { digestText } from "../../../src/receipts/digest.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { dispositionsOf, eventsOf, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool } from "../../support/test-tools.ts";
import { openSuspensionRoom, useStillClock } from "../../support/suspension-room.ts";

const full = { risk: { level: "full" } } as const;
const args = { to: { name: "ada" }, list: [1] };
const script = (name = "it") => [calls({ name, args }), says("ok")];

/** Changes whatever can be changed, at the top and below; throws where the value is frozen. */
function tamper(given: object): void {
  const open = given as { to?: { name?: string } };
  Object.assign(open.to ?? {}, { name: "mallory" });
  Object.assign(open, { planted: true });
}

describe("with nobody asked", () => {
  test("[CP20][AP5] a predicate that changes them has failed, and the call is not run without an approval", async () => {
    const noting = createNoting("it", {
      needsApproval: (given) => {
        tamper(given);
        return false;
      },
    });
    const turn = await runOnce(script(), {
      tools: [noting.tool],
      risk: { auto_approve: ["it"] },
      narrowing: { approvals: "deny" },
    });
    expect([dispositionsOf(turn), noting.ran]).toEqual([["denied"], []]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ arguments: args }]);
  });

  test("[CP20][AP5] nor can it change what a hook made of them", async () => {
    const rewrite = defineHook({
      name: "rewrite",
      on: "before_tool_call",
      run: () => ({ args: structuredClone(args) }),
    });
    const held: object[] = [];
    const noting = createNoting("it", { needsApproval: (given) => held.push(given) === 0 });
    const setup = { tools: [noting.tool], risk: { auto_approve: ["it"] }, execution: { hooks: [rewrite] } } as const;
    await runOnce([calls({ name: "it" }), says("ok")], setup);
    expect([held, noting.ran]).toEqual([[args], [args]]);
    for (const given of held) expect(() => tamper(given)).toThrow(TypeError);
  });

  test.each([
    ["JSON Schema", { type: "object" } as const],
    ["zod", z.looseObject({ to: z.any() })],
  ])(
    "[CP20][EX1] a tool under %s may change its own copy; hooks, row and digest have the original",
    async (_what, input) => {
      const seen: JsonObject[] = [];
      const watch = defineHook({ name: "watch", on: "after_tool_call", run: (call) => void seen.push(call.args) });
      const tool = defineTool({
        name: "it",
        description: "It.",
        input,
        execute: (given) => {
          tamper(given);
          return JSON.stringify(given);
        },
      });
      const { conversation, ...turn } = await runOnce(script(), {
        ...full,
        tools: [tool],
        execution: { hooks: [watch] },
      });
      expect(dispositionsOf(turn)).toEqual(["succeeded"]);
      expect(eventsOf(turn, "tool_result")[0]?.output).toContain("mallory");
      expect(seen).toEqual([args]);
      const digest = digestText(canonicalJson(args));
      expect(conversation.sql.all("SELECT args_digest AS digest FROM calls")).toEqual([{ digest }]);
    },
  );

  test("[CP21] a schema check that changes what it is shown changes nothing else", async () => {
    const input = z.looseObject({ to: z.any().refine((to) => (Object.assign(to, { name: "mallory" }), true)) });
    const tool = defineTool({ name: "it", description: "It.", input, execute: () => "ok" });
    const turn = await runOnce(script(), { ...full, tools: [tool] });
    expect(dispositionsOf(turn)).toEqual(["succeeded"]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ arguments: args }]);
  });

  test("[CP17][TC3] a tool with an approval marker gets its schema's defaults beside it", async () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: "shell",
      description: "Runs.",
      approvalMarker: true,
      input: z.object({ command: z.string(), dir: z.string().default("/") }),
      execute: (given) => {
        ran.push(given);
        return "ok";
      },
    });
    await runOnce([calls({ name: "shell", args: { command: "pwd" } }), says("ok")], { ...full, tools: [tool] });
    expect(ran).toEqual([{ command: "pwd", dir: "/", approved: true }]);
  });
});

describe("after a wait", () => {
  useStillClock();

  test("[AP5][CP20] what is approved is what runs, though the tool's own code was shown it before", async () => {
    const held: object[] = [];
    const noting = createNoting("it", { needsApproval: (given) => held.push(given) > 0 });
    const room = openSuspensionRoom({ tools: [noting.tool] });
    await room.run(script());
    for (const given of held) expect(() => tamper(given)).toThrow(TypeError);
    room.decide({ decision: "approve" });
    await room.rest();
    expect([noting.ran, room.turn().state]).toEqual([[args], "completed"]);
  });

  test("[AP5] a tool that comes back from a wait cannot change what its row and its hooks are told", async () => {
    const seen: JsonObject[] = [];
    const watch = defineHook({ name: "watch", on: "after_tool_call", run: (call) => void seen.push(call.args) });
    const tool = createTool("it", (given) => (tamper(given), "ok"));
    const room = openSuspensionRoom({ tools: [tool], hooks: [watch] });
    await room.run(script());
    room.evict();
    room.decide({ decision: "approve" });
    await room.rest();
    expect([dispositionsOf(room.turn()), seen]).toEqual([["succeeded"], [args]]);
    expect(Object.isFrozen(seen[0]) && Object.isFrozen(seen[0]?.["to"])).toBe(true);
  });
});
