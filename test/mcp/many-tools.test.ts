/** Two thousand tools of three servers that nobody is offered before they are searched for. */
import { afterEach, expect, test, vi } from "vitest";
import { dispositionsOf, resultsOf } from "../support/core-fixture.ts";
import { load, search, systemIn } from "../support/deferred-fixture.ts";
import { type HostileServer, entry, startHostileServer } from "../support/hostile-mcp-server.ts";
import { offeredIn, openMcpRoom } from "../support/mcp-room.ts";
import { calls, says } from "../support/scripted-provider.ts";

const servers: HostileServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  vi.restoreAllMocks();
});

/** Pages of a hundred. */
async function startLarge(tools: number): Promise<HostileServer> {
  const server = await startHostileServer();
  const schema = {
    type: "object",
    properties: { id: { type: "string", description: "Which one." } },
    required: ["id"],
  };
  server.page = (cursor) => {
    const from = Number(cursor ?? 0);
    const count = Math.min(100, tools - from);
    const page = Array.from({ length: count }, (_, n) =>
      entry(`act_${from + n}`, { description: `Does the thing number ${from + n}.`, inputSchema: schema }),
    );
    return { tools: page, ...(from + count < tools ? { nextCursor: String(from + count) } : {}) };
  };
  servers.push(server);
  return server;
}

test("[DM3][TS11][TS14][DM13][MC2] only the search is offered; what it finds is callable next, and still after an eviction", async () => {
  const [one, two, three] = await Promise.all([startLarge(700), startLarge(700), startLarge(600)]);
  const room = openMcpRoom({ one, two, three }, { mcp: { deferred_loading: true } });
  const called = { name: "two__act_699", args: { id: "x" } };
  const script = [calls(search("number 699", { max_results: 2 })), calls(called), says("ok")];
  const turn = await room.run(script);
  const first = room.provider.requests[0];
  expect(first?.tools.map(({ tool }) => tool)).toContain("tool_search");
  expect(offeredIn(room, 0)).toEqual([]);
  expect(systemIn(room, 0)).toContain("one - 700 tools\ntwo - 700 tools\nthree - 600 tools");
  expect(offeredIn(room)).toEqual(["one__act_699", "two__act_699"]);
  expect(dispositionsOf(turn)).toEqual(["succeeded", "succeeded"]);
  expect(resultsOf(turn)[1]).toContain("ran act_699");
  const listings = two.asked.filter((method) => method === "tools/list").length;
  expect(listings).toBe(7);

  room.evict();
  const later = await room.run([calls(called), says("ok")]);
  expect(dispositionsOf(later)).toEqual(["succeeded"]);
  expect(two.asked.filter((method) => method === "tools/list")).toHaveLength(listings);
  const requests = room.provider.requests.slice(-2);
  expect(requests.map(({ system }) => system)).toEqual([requests[0]?.system, requests[0]?.system]);
});

test("[MC4] at most a thousand of one server are taken, with a warning", async () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  const server = await startLarge(1200);
  const room = openMcpRoom({ big: server }, { mcp: { deferred_loading: true } });
  await room.run([says("ok")]);
  expect(systemIn(room)).toContain("big - 1000 tools");
  expect(JSON.stringify(warned.mock.calls)).toContain("too_many_tools");
});

test("[TS18][DM11] a loaded tool whose definition changed is inert, and is not said to be loadable", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const server = await startHostileServer([entry("read"), entry("list")]);
  servers.push(server);
  const room = openMcpRoom({ files: server }, { mcp: { deferred_loading: true }, server: { catalogue_ttl_secs: 0 } });
  await room.run([calls(load("files__read")), says("ok")]);
  server.tools = [entry("read", { description: "Another." }), entry("list")];
  const turn = await room.run([calls({ name: "files__read" }), says("ok")]);
  expect(dispositionsOf(turn)).toEqual(["not_available"]);
  expect(resultsOf(turn)[0]).not.toContain("tool_search");
  expect(offeredIn(room)).toEqual([]);
});
