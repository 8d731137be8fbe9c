/** Listings of a server that breaks what it can, or is not there: a bad entry costs itself, a server its tools, and nothing the turn. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dispositionsOf } from "../support/core-fixture.ts";
import { type HostileServer, entry, startHostileServer, textResult } from "../support/hostile-mcp-server.ts";
import { mcpSetup, offeredIn, openMcpRoom } from "../support/mcp-room.ts";
import { calls, says } from "../support/scripted-provider.ts";

let server: HostileServer;
let warned: ReturnType<typeof vi.spyOn>;
beforeEach(async () => {
  for (const level of ["debug", "info", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  warned = vi.spyOn(console, "warn").mockReturnValue();
  server = await startHostileServer();
});
afterEach(async () => {
  await server.stop();
  vi.restoreAllMocks();
});

const read = { name: "files__read" };
const always = { server: { catalogue_ttl_secs: 0 } };
const warnings = (): string => JSON.stringify(warned.mock.calls);

const wide = (parts: number) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: parts }, (_, n) => [`p${n}`, {}])),
});
const deep = (levels: number): object => (levels === 0 ? {} : { properties: { x: deep(levels - 1) } });

test.each([
  ["no schema", { ...entry("bad"), inputSchema: 5 }],
  ["no object at all", 7],
  ["a name of 300 characters", entry("n".repeat(300))],
  ["a name that is no text", { ...entry("bad"), name: 3 }],
  ["a control character in its name", entry("a\u0007b")],
  ["half a surrogate in its description", entry("bad", { description: "\ud800" })],
  ["a schema of 3,000 parts", entry("bad", { inputSchema: wide(3000) })],
  [
    "a choice of 600 values",
    entry("bad", { inputSchema: { type: "object", properties: { x: { enum: Array(600).fill(0) } } } }),
  ],
  ["a schema that leads to itself", entry("bad", { inputSchema: { type: "object", allOf: [{ $ref: "#" }] } })],
  ["a schema 40 deep", entry("bad", { inputSchema: { type: "object", ...deep(40) } })],
  ["a schema 1,500 deep", entry("bad", { inputSchema: { type: "object", ...deep(1500) } })],
  ["a reference into the network", entry("bad", { inputSchema: { type: "object", $ref: "https://a.example/s" } })],
  ["an output schema that is none", entry("bad", { outputSchema: "text" })],
  ["a task that it requires", entry("bad", { execution: { taskSupport: "required" } })],
])("[TS19][MC4][TC5] %s: that one tool is out, with a warning, and the others are there", async (_what, bad) => {
  server.page = () => ({ tools: [entry("first"), bad, entry("last")] });
  const room = openMcpRoom({ files: server });
  await room.run([says("ok")]);
  expect(offeredIn(room)).toEqual(["files__first", "files__last"]);
  expect(warnings()).toContain("mcp_tool_quarantined");
});

test("[TS2][RG7] a name twice: the first stays", async () => {
  server.tools = [entry("read", { description: "First." }), entry("read", { description: "Second." })];
  const room = openMcpRoom({ files: server });
  await room.run([says("ok")]);
  expect(offeredIn(room)).toEqual(["files__read"]);
  expect(room.provider.requests[0]?.tools.find(({ tool }) => tool === "files__read")?.description).toBe("First.");
  expect(warnings()).toContain("name_collision");
});

test("[EX9][MC4] three pages are one listing; a cursor that comes again ends it, with a warning", async () => {
  server.page = (cursor) => {
    const n = Number(cursor ?? 0);
    return { tools: [entry(`t${n}`)], ...(n < 2 ? { nextCursor: String(n + 1) } : {}) };
  };
  const paged = openMcpRoom({ files: server });
  await paged.run([says("ok")]);
  expect(offeredIn(paged)).toEqual(["files__t0", "files__t1", "files__t2"]);
  server.page = () => ({ tools: [entry("again")], nextCursor: "same" });
  const circling = openMcpRoom({ files: server });
  await circling.run([says("ok")]);
  expect(offeredIn(circling)).toEqual(["files__again"]);
  expect(warnings()).toContain("repeated_cursor");
});

test("[MC6][TS21] a name that no provider takes: the server's own goes to the server, a legal one to the model", async () => {
  server.tools = [entry("a.b/c")];
  const asked: string[] = [];
  server.call = ({ params, result }) => {
    asked.push(params.name);
    result(textResult("ok"));
  };
  const room = openMcpRoom({ files: server });
  await room.run([says("ok")]);
  const [spec] = room.provider.requests[0]?.tools.filter(({ tool }) => tool === "files__a.b/c") ?? [];
  expect(spec?.name).toMatch(/^files__a_b_c_[0-9a-f]{8}$/);
  await room.run([calls({ name: spec?.name ?? "" }), says("ok")]);
  expect(asked).toEqual(["a.b/c"]);
});

test("[TC4][MW5][SE30] what a server says of its tools is shown to nobody who decides", async () => {
  const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, provenance: "native" };
  server.tools = [entry("read", { annotations })];
  const barred = openMcpRoom({ files: server }, { risk: { level: "read_only" } });
  await barred.run([says("ok")]);
  expect(offeredIn(barred)).toEqual([]);
  const vouched = openMcpRoom(
    { files: server },
    { risk: { level: "read_only" }, server: { tools: { "re*": { read_only: true } } } },
  );
  await vouched.run([says("ok")]);
  expect(offeredIn(vouched)).toEqual(["files__read"]);
});

test("[TS2] its own entry and the bundle leave out what they exclude", async () => {
  server.tools = ["read", "write", "list", "drop"].map((name) => entry(name));
  const room = openMcpRoom(
    { files: server },
    {
      server: { allowed_tools: ["read", "write", "list"], excluded_tools: ["li*"] },
      mcp: { bundles: { all: { servers: ["files"], exclude: ["files__wr*"] } } },
    },
  );
  await room.run([says("ok")]);
  expect(offeredIn(room)).toEqual(["files__read"]);
});

describe("a definition that changes", () => {
  const changed = [entry("read", { description: "Now it does something else." }), entry("list")];

  test("[TS18][MC7] the tool is disabled in every turn from then on, the others stay", async () => {
    const room = openMcpRoom({ files: server }, always);
    await room.run([calls(read), says("ok")]);
    server.tools = changed;
    const turn = await room.run([calls(read), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["not_available"]);
    expect(offeredIn(room)).toEqual(["files__list"]);
    room.evict();
    expect(dispositionsOf(await room.run([calls(read), says("ok")]))).toEqual(["not_available"]);
    expect(warnings()).toContain("mcp_definition_changed");
  });

  test("[TS18] under `allow` it is taken over, and said", async () => {
    const risk = { level: "full", on_definition_change: "allow" } as const;
    const room = openMcpRoom({ files: server }, { ...always, risk });
    await room.run([says("ok")]);
    server.tools = changed;
    expect(dispositionsOf(await room.run([calls(read), says("ok")]))).toEqual(["succeeded"]);
    expect(warnings()).toContain("mcp_definition_changed");
  });

  test("[MC7] a hash in the configuration that it does not have: disabled from the start", async () => {
    const room = openMcpRoom({ files: server }, { server: { pins: { read: "0".repeat(64) } } });
    expect(dispositionsOf(await room.run([calls(read), says("ok")]))).toEqual(["not_available"]);
  });

  test.each([
    ["disable", "not_available"],
    ["allow", "refused"],
  ] as const)(
    "[MC7][CK8] while a person is asked about it, under `%s`: the approval was for what it was, and it is not run",
    async (onChange, disposition) => {
      const room = openMcpRoom({ files: server }, { risk: { on_definition_change: onChange }, ...always });
      await room.run([calls(read), says("ok")]);
      server.tools = changed;
      room.evict();
      room.decide({ decision: "approve" });
      await room.rest();
      expect(dispositionsOf(room.turn())).toEqual([disposition]);
      expect(server.asked).not.toContain("tools/call");
    },
  );

  test("[EX9][MC5][DI13] told in mid-turn: what is gone or changed is so at the next iteration, what is new in the next turn", async () => {
    server.tools = [entry("read"), entry("gone"), entry("kept")];
    server.call = (exchange) => {
      server.tools = [...changed, entry("kept"), entry("new")];
      const { message, result } = exchange.stream();
      message({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      const answer = setInterval(() => {
        if (server.asked.filter((method) => method === "tools/list").length < 2) return;
        clearInterval(answer);
        setTimeout(() => result(textResult("ok")), 100);
      }, 10);
    };
    const room = openMcpRoom({ files: server });
    const script = [
      calls({ name: "files__kept" }),
      calls({ name: "files__gone" }, read, { name: "files__new" }),
      says("ok"),
    ];
    const turn = await room.run(script);
    expect(dispositionsOf(turn)).toEqual(["succeeded", "not_available", "not_available", "unknown_tool"]);
    expect(offeredIn(room)).toEqual(["files__kept"]);
    await room.run([says("ok")]);
    expect(offeredIn(room)).toEqual(["files__list", "files__kept", "files__new"]);
  });
});

test("[MC5][SE32] one that says a hundred times that it changed is read ten times more, and by the next turn again", async () => {
  server.call = (exchange) => {
    const { message, result } = exchange.stream();
    let told = 0;
    const telling = setInterval(() => {
      message({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      if ((told += 1) < 100) return;
      clearInterval(telling);
      result(textResult("ok"));
    }, 5);
  };
  const listings = () => server.asked.filter((method) => method === "tools/list").length;
  const room = openMcpRoom({ files: server });
  await room.run([calls(read), says("ok")]);
  expect(listings()).toBeGreaterThan(1);
  expect(listings()).toBeLessThanOrEqual(11);
  const before = listings();
  await room.run([says("ok")]);
  expect(listings()).toBe(before + 1);
});

describe("a server that is not there", () => {
  test("[MC3] at first sight: its tools are absent, the other server's are not, the turn ends", async () => {
    const down = await startHostileServer();
    await down.stop();
    const room = openMcpRoom({ down, files: server });
    const turn = await room.run([calls(read, { name: "down__read" }), says("ok")]);
    expect(new Set(dispositionsOf(turn))).toEqual(new Set(["succeeded", "unknown_tool"]));
    expect(warnings()).toContain("mcp_listing_failed");
  });

  test("[MC3][MC13] later: what it listed before is offered, and a call of it failed", async () => {
    const room = openMcpRoom({ files: server }, always);
    await room.run([says("ok")]);
    await server.stop();
    room.evict();
    const turn = await room.run([calls(read), says("ok")]);
    expect(turn.state).toBe("completed");
    expect(dispositionsOf(turn)).toEqual(["failed"]);
  });

  test("[MC3] one that accepts and never answers costs its time to connect, and the turn goes on", async () => {
    server.silent = true;
    const room = openMcpRoom({ files: server }, { server: { connect_timeout_secs: 1 } });
    expect((await room.run([says("ok")])).state).toBe("completed");
    expect(offeredIn(room)).toEqual([]);
  });

  test("[MC3] cancelled while it is silent: the turn ends, and the next one has the tools", async () => {
    server.silent = true;
    const room = openMcpRoom({ files: server });
    room.provider.script(says("ok"));
    room.post();
    await vi.waitFor(() => expect(server.asked).toContain("tools/list"));
    room.cancel();
    await room.rest();
    expect(room.turn().state).toBe("cancelled");
    server.silent = false;
    room.provider.drop();
    await room.run([says("ok")]);
    expect(offeredIn(room)).toEqual(["files__read"]);
  });

  test("[MC3] it is asked again when it is back", async () => {
    server.refuseAll = 503;
    const room = openMcpRoom({ files: server }, always);
    await room.run([says("ok")]);
    expect(offeredIn(room)).toEqual([]);
    server.refuseAll = undefined;
    await room.run([says("ok")]);
    expect(offeredIn(room)).toEqual(["files__read"]);
  });
});

test("[MC2] a turn that calls none of its tools opens nothing while the listing is fresh", async () => {
  const room = openMcpRoom({ files: server });
  await room.run([says("ok")]);
  const before = server.asked.length;
  await room.run([says("ok")]);
  room.evict();
  await room.run([says("ok")]);
  expect(server.asked).toHaveLength(before);
  expect(offeredIn(room)).toEqual(["files__read"]);
});

test("[SE28][MC7] at another address it is another server: nothing known of the first one is used", async () => {
  const other = await startHostileServer([entry("read", { description: "Of the other one." })]);
  const room = openMcpRoom({ files: server });
  await room.run([says("ok")]);
  room.evict(mcpSetup({ files: other }));
  expect(dispositionsOf(await room.run([calls(read), says("ok")]))).toEqual(["succeeded"]);
  expect(other.asked).toContain("tools/call");
  expect(room.provider.requests.at(-1)?.tools.find(({ tool }) => tool === "files__read")?.description).toBe(
    "Of the other one.",
  );
  await other.stop();
});

test("[MC19] two servers at one address are two servers", async () => {
  const room = openMcpRoom({ one: server, two: server });
  await room.run([says("ok")]);
  expect(offeredIn(room)).toEqual(["one__read", "two__read"]);
  expect(server.asked.filter((method) => method === "initialize")).toHaveLength(2);
});

test("[CF2] switched off, there is none", async () => {
  const room = openMcpRoom({ files: server }, { mcp: { enabled: false } });
  await room.run([says("ok")]);
  expect(server.asked).toEqual([]);
});
