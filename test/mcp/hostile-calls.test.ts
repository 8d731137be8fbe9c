/** Calls of a server that breaks what it can: each call ends as what is known of it, and so does its turn. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { type Exchange, type HostileServer, startHostileServer, textResult } from "../support/hostile-mcp-server.ts";
import { type McpRoomSetup, openMcpRoom } from "../support/mcp-room.ts";
import { calls, says } from "../support/scripted-provider.ts";

let server: HostileServer;
beforeEach(async () => {
  for (const level of ["debug", "info", "warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  server = await startHostileServer();
});
afterEach(async () => {
  await server.stop();
  vi.restoreAllMocks();
});

const read = { name: "files__read", args: { n: 1 } };
const twice = [calls(read), calls({ name: "files__read", args: { n: 2 } }), says("ok")];

/** One call, then an answer; the turn must come to its end whatever the call does. */
async function callOnce(call: (exchange: Exchange) => void, setup: McpRoomSetup = {}) {
  server.call = call;
  const room = openMcpRoom({ files: server }, setup);
  const turn = await room.run([calls(read), says("ok")]);
  expect(turn.state).toBe("completed");
  const [disposition] = dispositionsOf(turn);
  return { room, turn, disposition, result: resultsOf(turn)[0] ?? "" };
}

const asked = (method: string): number => server.asked.filter((name) => name === method).length;

test("[EX10][MC12] the socket is cut after the request: nobody knows, and it is not sent again", async () => {
  const { disposition } = await callOnce(({ cut }) => cut());
  expect(disposition).toBe("outcome_unknown");
  expect(asked("tools/call")).toBe(1);
});

test("[EX10][MC12] a stream that ends without the answer", async () => {
  const { disposition } = await callOnce((exchange) => exchange.stream().end());
  expect(disposition).toBe("outcome_unknown");
  expect(asked("tools/call")).toBe(1);
});

test("[MC10][SE32] an answer to a request that was never made is dropped, and leaves the one that was without any", async () => {
  const { disposition } = await callOnce(({ result, id }) => result(textResult("stolen"), id + 1000));
  expect(disposition).toBe("outcome_unknown");
});

test("[MC10] an answer for somebody else does not disturb the right one behind it", async () => {
  const { disposition, result } = await callOnce((exchange) => {
    const { message, result: answer, end } = exchange.stream();
    message({ jsonrpc: "2.0", id: exchange.id + 1000, result: textResult("stolen") });
    answer(textResult("mine"));
    end();
  });
  expect(disposition).toBe("succeeded");
  expect(result).toContain("mine");
});

test("[MC10] six calls at once, answered in another order: each has its own", async () => {
  const waiting: Exchange[] = [];
  server.call = (exchange) => {
    waiting.push(exchange);
    if (waiting.length < 6) return;
    for (const { result, params } of waiting.toReversed()) result(textResult(`n is ${String(params.arguments["n"])}.`));
  };
  const room = openMcpRoom({ files: server }, { runtime: { parallel_tools: true, max_parallel_tools: 6 } });
  const wanted = Array.from({ length: 6 }, (_, n) => ({ name: "files__read", args: { n } }));
  const turn = await room.run([calls(...wanted), says("ok")]);
  expect(resultsOf(turn).map((result) => /n is (\d+)\./.exec(result)?.[1])).toEqual(
    wanted.map(({ args }) => `${args.n}`),
  );
});

test("[MC9] it hangs: the call ends at its limit, and the server is told", async () => {
  const { disposition } = await callOnce(({ stream }) => void stream(), { server: { tool_timeout_secs: 1 } });
  expect(disposition).toBe("timed_out");
  await vi.waitFor(() => expect(asked("notifications/cancelled")).toBe(1));
});

test("[MC9] progress does not put the limit off", async () => {
  let ticking: NodeJS.Timeout | undefined;
  const { disposition } = await callOnce(
    (exchange) => {
      const { message } = exchange.stream();
      const { progressToken } = exchange.params["_meta"] as { progressToken: number };
      const params = { progressToken, progress: 1 };
      ticking = setInterval(() => message({ jsonrpc: "2.0", method: "notifications/progress", params }), 100);
    },
    { server: { tool_timeout_secs: 1 } },
  );
  clearInterval(ticking);
  expect(disposition).toBe("timed_out");
});

test("[MC17][SE32] an answer over 8 MiB fails, and the next call works", async () => {
  let count = 0;
  server.call = ({ result }) => result(textResult((count += 1) === 1 ? "x".repeat(9 * 1024 * 1024) : "small"));
  const room = openMcpRoom({ files: server });
  const turn = await room.run(twice);
  expect(dispositionsOf(turn)).toEqual(["failed", "succeeded"]);
  expect(resultsOf(turn)[0]).toContain("too large");
});

test("[MC17][SE32] an event without end fails at the same size, and the next call works", async () => {
  let count = 0;
  server.call = ({ result, response }) => {
    if ((count += 1) > 1) return result(textResult("small"));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pour = (): void => {
      if (response.destroyed) return;
      if (response.write(`data: ${"x".repeat(65_536)}`)) setImmediate(pour);
      else response.once("drain", pour);
    };
    pour();
  };
  const room = openMcpRoom({ files: server });
  expect(dispositionsOf(await room.run(twice))).toEqual(["failed", "succeeded"]);
});

test.each([
  ["bytes that are no UTF-8", "\u00ff"],
  ["half an object", '{"jsonrpc":'],
  ["JSON that is no message", "[1]"],
])("[MC17] %s: it fails, and the next call works", async (_what, body) => {
  let count = 0;
  server.call = ({ result, response, id }) => {
    if ((count += 1) > 1) return result(textResult("fine"));
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result: textResult("\u00ff") });
    const bytes = Buffer.from(body === "\u00ff" ? answer : body, "latin1");
    response.writeHead(200, { "content-type": "application/json" }).end(bytes);
  };
  const room = openMcpRoom({ files: server });
  expect(dispositionsOf(await room.run(twice))).toEqual(["failed", "succeeded"]);
});

test("[SE32] a flood of notifications ends the connection, and the turn goes on", async () => {
  const { disposition } = await callOnce((exchange) => {
    const { message } = exchange.stream();
    for (let sent = 0; sent < 1100; sent += 1)
      message({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: sent } });
  });
  expect(disposition).toBe("failed");
});

test("[MC16][EX8] what it says of its own failure is the model's to read", async () => {
  const { disposition, result } = await callOnce((exchange) =>
    exchange.result({ ...textResult("no such file"), isError: true }),
  );
  expect(disposition).toBe("failed");
  expect(result).toContain("no such file");
  expect(result).toContain('"files"');
});

test("[MC16] an error of the protocol is told with its code", async () => {
  const { disposition, result } = await callOnce((exchange) => exchange.error(-32_602, "bad arguments"));
  expect(disposition).toBe("failed");
  expect(result).toMatch(/-32602.*bad arguments/);
});

test.each([401, 403, 429, 503])("[MC18] HTTP %i: it fails, and is asked once", async (status) => {
  const { disposition, result } = await callOnce((exchange) => exchange.status(status));
  expect(disposition).toBe("failed");
  expect(result).toContain(`HTTP ${status}`);
  expect(asked("tools/call")).toBe(1);
});

test("[SE41][MC13] a redirect is not followed", async () => {
  const { disposition, result } = await callOnce(
    ({ response }) => void response.writeHead(307, { location: server.url }).end(),
  );
  expect(disposition).toBe("failed");
  expect(result).toContain("egress blocked: redirect");
  expect(asked("tools/call")).toBe(1);
});

test("[BD10][EX8] five megabytes of text are bounded like any result", async () => {
  const { disposition, result } = await callOnce((exchange) => exchange.result(textResult("y".repeat(5_000_000))));
  expect(disposition).toBe("succeeded");
  expect(result.length).toBeLessThan(100_000);
});

test("[EX8] half surrogates in text and data: what is kept is well-formed", async () => {
  const { turn, disposition, result } = await callOnce(({ response, id }) => {
    const body = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a \\ud800 b"}],"structuredContent":{"k":"\\udc00"}}}`;
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  expect(disposition).toBe("succeeded");
  expect(result.isWellFormed()).toBe(true);
  expect(JSON.stringify(turn.events)).not.toMatch(/\\ud800|\\udc00/);
});

test("[TC9] data that is not what the tool promised is dropped, and the call stays what it was", async () => {
  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  server.tools = [{ name: "read", inputSchema: { type: "object" }, outputSchema }];
  const answer = { ...textResult("three"), structuredContent: { n: "three" } };
  const { turn, disposition, result } = await callOnce((exchange) => exchange.result(answer));
  expect(disposition).toBe("succeeded");
  expect(result).toContain("three");
  expect(eventsOf(turn, "tool_result")[0]).not.toHaveProperty("data");
});

test("[MC14] a block of a kind that is not known is named", async () => {
  const { result } = await callOnce((exchange) =>
    exchange.result({
      content: [
        { type: "text", text: "see" },
        { type: "hologram", data: "x" },
      ],
    }),
  );
  expect(result).toContain("see\n[HOLOGRAM]");
});

describe("sessions", () => {
  test("[EX11][MC11] it is gone: five calls wait for one handshake, and each is sent once more", async () => {
    const room = openMcpRoom({ files: server }, { runtime: { parallel_tools: true, max_parallel_tools: 5 } });
    await room.run([says("ok")]);
    server.expire();
    const wanted = Array.from({ length: 5 }, (_, n) => ({ name: "files__read", args: { n } }));
    const turn = await room.run([calls(...wanted), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(Array.from(wanted, () => "succeeded"));
    expect(asked("initialize")).toBe(2);
  });

  test("[EX11][MC11] it is gone twice: the call failed, and was never taken", async () => {
    const room = openMcpRoom({ files: server });
    await room.run([says("ok")]);
    server.expire();
    server.call = ({ status }) => status(404);
    const turn = await room.run([calls(read), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["failed"]);
    expect(resultsOf(turn)[0]).toContain("session");
  });

  test("[MC11][MC2] it outlives its turn and an eviction: the next call needs no handshake", async () => {
    const room = openMcpRoom({ files: server });
    await room.run([calls(read), says("ok")]);
    room.evict();
    const turn = await room.run([calls(read), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["succeeded"]);
    expect(asked("initialize")).toBe(1);
    expect(asked("tools/list")).toBe(1);
  });
});

test("[MC8][SE31] a server gets the headers of its own entry, and the prepared arguments alone", async () => {
  const sent: unknown[] = [];
  await callOnce(
    (exchange) => {
      sent.push(exchange.params.arguments);
      exchange.result(textResult("ok"));
    },
    { server: { headers: { authorization: "Bearer ${secret:TOKEN}" } }, secrets: { TOKEN: "s3cret-of-files" } },
  );
  expect(sent).toEqual([{ n: 1 }]);
  expect(server.headers.every(({ authorization }) => authorization === "Bearer s3cret-of-files")).toBe(true);
});

test("[SE68] an error that echoes a secret is told without it", async () => {
  const { result } = await callOnce(({ error }) => error(-32_000, "no access for s3cret-of-files"), {
    server: { headers: { authorization: "Bearer ${secret:TOKEN}" } },
    secrets: { TOKEN: "s3cret-of-files" },
  });
  expect(result).toContain("no access for");
  expect(result).not.toContain("s3cret");
});

test("[MC13] without its secret it is not asked, and costs its tools", async () => {
  const room = openMcpRoom({ files: server }, { server: { headers: { authorization: "Bearer ${secret:TOKEN}" } } });
  const turn = await room.run([says("ok")]);
  expect(turn.state).toBe("completed");
  expect(server.asked).toEqual([]);
});

test("[MC9] cancelled while the server hangs: the turn ends, and the server is told", async () => {
  server.call = ({ stream }) => void stream();
  const room = openMcpRoom({ files: server });
  room.provider.script(calls(read), says("ok"));
  room.post();
  await vi.waitFor(() => expect(asked("tools/call")).toBe(1));
  room.cancel();
  await room.rest();
  expect(room.turn().state).toBe("cancelled");
  expect(eventsOf(room.turn(), "tool_result")[0]?.disposition).toBe("interrupted");
});
