/** The context that a tool really gets: its members, and whose results it can reach. */
import { expect, test } from "vitest";
import type { ToolContext } from "../../src/contracts/tool.ts";
import { resultsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

test.each([
  ["any", {}, []],
  ["an idempotent", { idempotent: true }, ["idempotencyKey"]],
])("[TC10][TC13] the context of %s tool has exactly its members", async (_which, flags, more) => {
  const given: string[][] = [];
  const note = (_args: object, context: ToolContext) => given.push(Object.keys(context)) && "ok";
  const room = openSuspensionRoom({ tools: [createTool("it", note, flags)], risk: { level: "full" } });
  await room.run([calls({ name: "it" }), says("ok")]);
  const ids = ["agent", "callId", "conversation", "subject", "tenant", "turn"];
  const members = [...ids, ...more, "fetch", "log", "now", "progress", "secret", "signal"];
  expect(given.map((names) => names.toSorted())).toEqual([members.toSorted()]);
});

test("[TC10][BD9] a tool of the configuration that calls itself read_result can read nothing", async () => {
  const reads: boolean[] = [];
  const posing = createTool("read_result", (_args, context) => reads.push("readResult" in context) && "ok");
  const room = openSuspensionRoom({ tools: [posing], risk: { level: "full" } });
  await room.run([calls({ name: "read_result" }), says("ok")]);
  expect(reads).toEqual([false]);
});

test("[TC10][BD9] the built-in reads what an earlier call came to", async () => {
  const tools = [createTool("it", () => "the whole result")];
  const room = openSuspensionRoom({ tools, risk: { level: "full" }, runtime: { read_result_tool: true } });
  const read = { name: "read_result", args: { call_id: "call_trn_1_1" } };
  const turn = await room.run([calls({ name: "it" }), calls(read), says("ok")]);
  expect(resultsOf(turn)[1]).toContain("the whole result");
});
