/** A hostile MCP server against the real Worker: what the platform's streams and sockets make of it, turn by turn. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type Exchange,
  type HostileServer,
  entry,
  startHostileServer,
  textResult,
} from "../support/hostile-mcp-server.ts";
import { type LifecycleRoom, openConversation, openLifecycleRoom } from "../support/lifecycle-room.ts";
import { askCalls } from "../support/obedient-model.ts";

let server: HostileServer;
let room: LifecycleRoom;
beforeAll(async () => {
  server = await startHostileServer([entry("read")]);
  room = await openLifecycleRoom({
    agents: { guest: { model_provider: "model", risk_profile: "guest", mcp_bundles: ["all"] } },
    risk_profiles: { guest: { level: "full" } },
    mcp: {
      servers: [{ name: "files", url: server.url, tool_timeout_secs: 2 }],
      bundles: { all: { servers: ["files"] } },
    },
    reachable: [server.port],
  });
});
afterAll(async () => {
  await room.close();
  await server.stop();
});

const asked = (method: string): number => server.asked.filter((name) => name === method).length;

/** In a conversation of its own: the first call as told, the second one well. */
async function callTwice(about: string, first: (exchange: Exchange) => void) {
  let count = 0;
  server.call = (exchange) => ((count += 1) === 1 ? first(exchange) : exchange.result(textResult("well again")));
  const conversation = openConversation(room.client(), `mcp-${about}`);
  const call = async (n: number) => {
    const { body } = await conversation.turn(askCalls({ name: "files__read", args: { n } }), { agent: "guest" });
    const log = await conversation.log(body.turn);
    expect(body.state).toBe("completed");
    return log.flatMap((event) => (event.type === "tool_result" ? [event] : []))[0];
  };
  return { first: await call(1), second: await call(2), calls: () => count };
}

test("[EX10][MC12] a socket that is cut after the request", async () => {
  const { first, second, calls } = await callTwice("cut", ({ cut }) => cut());
  expect([first?.disposition, second?.disposition]).toEqual(["outcome_unknown", "succeeded"]);
  expect(calls()).toBe(2);
});

test("[EX10][MC12] a stream that is cut in mid-answer", async () => {
  const { first, second } = await callTwice("torn", ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"jsonrpc":"2.0"');
    setTimeout(() => response.destroy(), 50);
  });
  expect([first?.disposition, second?.disposition]).toEqual(["outcome_unknown", "succeeded"]);
});

test("[MC17][SE32] an event without end", async () => {
  const { first, second } = await callTwice("endless", ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pour = (): void => {
      if (response.destroyed) return;
      if (response.write(`data: ${"x".repeat(65_536)}`)) setImmediate(pour);
      else response.once("drain", pour);
    };
    pour();
  });
  expect([first?.disposition, second?.disposition]).toEqual(["failed", "succeeded"]);
});

test("[MC17] bytes that are no UTF-8", async () => {
  const { first, second } = await callTwice("bytes", ({ response }) => {
    response.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0x7b, 0xff, 0x7d]));
  });
  expect([first?.disposition, second?.disposition]).toEqual(["failed", "succeeded"]);
});

test("[MC9] one that never answers is told that nobody waits any more", async () => {
  const before = asked("notifications/cancelled");
  const { first, second } = await callTwice("hangs", ({ stream }) => void stream());
  expect([first?.disposition, second?.disposition]).toEqual(["timed_out", "succeeded"]);
  await vi.waitFor(() => expect(asked("notifications/cancelled")).toBe(before + 1));
});

test("[EX11][MC11] sessions that are forgotten between two turns", async () => {
  const { first, second } = await callTwice("expires", (exchange) => {
    exchange.result(textResult("first"));
    server.expire();
  });
  expect([first?.disposition, second?.disposition]).toEqual(["succeeded", "succeeded"]);
});

test("[BD10][EX8] five megabytes of text", async () => {
  const { first } = await callTwice("long", ({ result }) => result(textResult("y".repeat(5_000_000))));
  expect(first?.disposition).toBe("succeeded");
  expect(first?.output.length).toBeLessThan(100_000);
});
