/** A provider that refuses a tool by name: the turn goes on without it, and so does the conversation. */
import { describe, expect, test, vi } from "vitest";
import type { ModelEvent } from "../../src/contracts/model.ts";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const refuses = (message: string, status = 400): readonly ModelEvent[] => [
  { type: "fault", fault: { kind: "refused", status, message: `HTTP ${status}: ${message}` } },
];
const setup = {
  tools: [createTool("plain"), createTool("odd")],
  agent: { builtin_tools: [] },
  risk: { level: "full" },
} as const;
const logged = (code: string): readonly string[] =>
  vi.mocked(console.warn).mock.calls.flatMap(([line]) => (String(line).includes(code) ? [String(line)] : []));

describe("named", () => {
  test.each([
    ["in quotes", "Invalid schema for function 'odd': nope"],
    ["in JSON", '{"error":{"message":"Invalid schema for function \\"odd\\""}}'],
    ["by its place", "tools.1.input_schema: nope"],
    ["by its place in brackets", "Invalid value at tools[1].function.parameters"],
  ])("[SC8] %s: asked again without it, in the same iteration, and the turn completes", async (_how, message) => {
    const room = openSuspensionRoom(setup);
    const turn = await room.run([refuses(message), calls({ name: "odd" }, { name: "plain" }), says("ok")]);
    const sent = room.provider.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(sent).toEqual([["plain", "odd"], ["plain"], ["plain"]]);
    expect([turn.state, ...dispositionsOf(turn)]).toEqual(["completed", "not_available", "succeeded"]);
    expect(eventsOf(turn, "turn_finished")[0]?.iterations).toBe(2);
    expect(logged("tool_refused_by_provider")).toHaveLength(1);
  });

  test("[SC8] one after the other, until the request is taken; also when none is left", async () => {
    const room = openSuspensionRoom(setup);
    const turn = await room.run([refuses("'odd' is bad"), refuses("'plain' is bad", 422), says("no tools, but words")]);
    expect([turn.state, turn.text]).toEqual(["completed", "no tools, but words"]);
    expect(room.provider.requests.at(-1)?.tools).toEqual([]);
  });

  test("[SC8] the conversation remembers it over an eviction, until the definition changes", async () => {
    const room = openSuspensionRoom(setup);
    await room.run([refuses("'odd' is bad"), says("ok")]);
    room.evict();
    await room.run([says("ok")]);
    expect(room.provider.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(["plain"]);
    const odd = createTool("odd");
    const mended = { ...odd, definitionHash: "f".repeat(64) };
    room.evict({ ...setup, tools: [createTool("plain"), mended] });
    await room.run([says("ok")]);
    expect(room.provider.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(["plain", "odd"]);
  });
});

describe("not named", () => {
  test.each([
    ["nobody", refuses("the request is bad")],
    ["two of them", refuses("'odd' or 'plain' is bad")],
    ["a word of running text", refuses("this is an odd request")],
    ["a place that there is not", refuses("tools.7.input_schema")],
    ["a tool, by a refused key", refuses("'odd' is bad", 401)],
  ])("[SC8] %s: the turn fails as before, and bars nothing", async (_what, refused) => {
    const room = openSuspensionRoom(setup);
    // A stream that was refused is tried once more, whole.
    const turn = await room.run([refused, refused]);
    expect([turn.state, turn.reason]).toEqual(["failed", "provider_error"]);
    await room.run([says("ok")]);
    expect(room.provider.requests.at(-1)?.tools).toHaveLength(2);
  });
});
