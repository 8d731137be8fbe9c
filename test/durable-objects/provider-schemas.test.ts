/** What a provider is sent of tools: cleaned schemas, no more of them than it takes, none that it cannot take. */
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/contracts/json.ts";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const input: JsonObject = {
  type: "object",
  properties: { at: { type: ["string", "null"], format: "date" }, where: { $ref: "#/$defs/place" } },
  $defs: { place: { type: "string" } },
};
const withInput = (name: string, inputSchema: JsonObject) => {
  const tool = createTool(name);
  return { ...tool, definition: { ...tool.definition, inputSchema } };
};

describe("schemas", () => {
  test.each([
    ["conservative", undefined, { at: { type: "string", format: "date" }, where: { type: "string" } }],
    ["gemini", "gemini", { at: { type: "string" }, where: { type: "string" } }],
  ] as const)("[SC4][SC5] are cleaned as %s, in each request the same", async (_name, strategy, properties) => {
    const tool = withInput("plan", input);
    const provider = strategy === undefined ? {} : { schema_strategy: strategy };
    const room = openSuspensionRoom({ tools: [tool], provider, risk: { level: "full" } });
    await room.run([calls({ name: "plan", args: { at: null } }), says("ok")]);
    const sent = room.provider.requests.map(({ tools }) => tools.find(({ name }) => name === "plan")?.parameters);
    expect(sent[0]).toEqual({ type: "object", properties });
    expect(sent[1]).toBe(sent[0]);
    expect(tool.definition.inputSchema).toBe(input);
  });

  test("[SC16] arguments are judged by the tool's own schema, also where the cleaned one is stricter", async () => {
    const tool = { ...createTool("plan"), checkArguments: (args: JsonObject) => ({ ok: true, value: args }) as const };
    const room = openSuspensionRoom({
      tools: [{ ...tool, definition: { ...tool.definition, inputSchema: input } }],
      risk: { level: "full" },
    });
    const turn = await room.run([calls({ name: "plan", args: { at: null } }), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["succeeded"]);
  });

  test("[SC18] one that is no object any more bars its tool with this provider, and no other", async () => {
    const union = { type: "object", anyOf: [{ title: "a" }, { title: "b" }] };
    const tools = [withInput("either", union), createTool("plain")];
    const room = openSuspensionRoom({ tools, risk: { level: "full" } });
    const turn = await room.run([calls({ name: "either" }, { name: "plain" }), says("ok")]);
    expect(room.provider.requests[0]?.tools.map(({ name }) => name)).not.toContain("either");
    expect([turn.state, ...dispositionsOf(turn)]).toEqual(["completed", "not_available", "succeeded"]);
    const lines = vi.mocked(console.warn).mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes("tool_quarantined"))).toHaveLength(1);
  });
});

describe("very many tools", () => {
  const many = Array.from({ length: 140 }, (_, n) => createTool(`tool_${n}`));

  test("[SC9] 128 are sent; the last ones are not, answer as not available, and an operator is told once", async () => {
    const room = openSuspensionRoom({ tools: many, agent: { builtin_tools: [] }, risk: { level: "full" } });
    const turn = await room.run([calls({ name: "tool_127" }, { name: "tool_128" }), says("ok")]);
    expect(room.provider.requests.map(({ tools }) => tools.at(-1)?.name)).toEqual(["tool_127", "tool_127"]);
    expect(room.provider.requests[0]?.tools).toHaveLength(128);
    const results = eventsOf(turn, "tool_result").map(({ tool, disposition }) => [tool, disposition]);
    expect(Object.fromEntries(results)).toEqual({ tool_127: "succeeded", tool_128: "not_available" });
    const lines = vi.mocked(console.warn).mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes("tools_left_out"))).toEqual([expect.stringContaining('"left":12')]);
  });
});

describe("names", () => {
  test.each(["constructor", "toString", "hasOwnProperty", "valueOf"])(
    "[TC2][SE58] a tool may be called %s; without one the name is unknown",
    async (name) => {
      const room = openSuspensionRoom({ tools: [createTool(name, () => "ran")], risk: { level: "full" } });
      expect(dispositionsOf(await room.run([calls({ name }), says("ok")]))).toEqual(["succeeded"]);
      const without = openSuspensionRoom({ risk: { level: "full" } });
      expect(dispositionsOf(await without.run([calls({ name }), says("ok")]))).toEqual(["unknown_tool"]);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    },
  );

  test.each(["__proto__", "🦜", "a".repeat(200), "", "a b", "météo"])(
    "[TC2][SE58] a model that calls %j is told that there is no such tool, and nothing is polluted",
    async (name) => {
      const room = openSuspensionRoom({ risk: { level: "full" } });
      const args = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}');
      const turn = await room.run([calls({ name, args }), says("ok")]);
      expect([turn.state, ...dispositionsOf(turn)]).toEqual(["completed", "unknown_tool"]);
      expect("polluted" in {}).toBe(false);
    },
  );
});
