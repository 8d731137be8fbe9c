/** Tools without code, over HTTP and with a real server behind them: HTTP tools, and tools that a request brings. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { createApiClient, onlyEvent } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { openConversation, type TestConversation } from "../support/lifecycle-room.ts";
import { type ModelConfig, writeModelConfig } from "../support/model-config.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { askCalls, obey } from "../support/obedient-model.ts";
import { type LocalServer, startLocalServer } from "../tools/local-server.ts";

const SECRET = "shop-token-0123456789";
/** Four MiB, with characters of several bytes in it. */
const large = "0123456789 é 🦜\n".repeat(233_017);

let shop: LocalServer;
/** Nobody may come here: only a redirect leads to it. */
let silent: LocalServer;
let model: ModelServer;
let config: ModelConfig;
let server: RunningServer;
let conversation: TestConversation;

function sell(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? "/";
  const json = (status: number, body: unknown): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (path.startsWith("/orders/"))
    return json(200, { order: { state: "shipped", seen: request.headers.authorization } });
  if (path === "/denied") return json(401, { told: `you sent ${request.headers.authorization}` });
  if (path === "/large") return void response.writeHead(200, { "content-type": "text/plain" }).end(large);
  if (path === "/private") return void response.writeHead(302, { location: silent.url }).end();
  // `/hang` is never answered.
}

const argument = { type: "object", properties: { id: { type: "string" }, note: { type: "string" } } };
const headers = { authorization: "Bearer ${secret:SHOP_TOKEN}" };
const httpTool = (name: string, path: string, more: object = {}) => ({
  kind: "http",
  name,
  description: `Asks the shop for ${path}`,
  input_schema: argument,
  url: `${shop.url}${path}`,
  headers,
  ...more,
});

beforeAll(async () => {
  [shop, silent, model] = await Promise.all([
    startLocalServer(sell),
    startLocalServer((_request, response) => response.end("reached")),
    startModelServer(obey),
  ]);
  const tools = [
    httpTool("order", "/orders/{id}", { response: { select: "$.order", text: "Order is {state}." } }),
    httpTool("denied", "/denied"),
    httpTool("large", "/large", { response: { max_bytes: 5_000_000 } }),
    httpTool("too_large", "/large"),
    httpTool("private", "/private"),
    httpTool("hangs", "/hang", { tool_timeout_secs: 1 }),
    httpTool("noted", "/orders/{id}", { headers: { ...headers, "x-note": "{note}" } }),
  ];
  const shopPort = Number(shop.host.split(":")[1]);
  const agents = { open: { model_provider: "model", client_tools_from_request: true } };
  config = writeModelConfig({ model: model.port }, { tools, reachable: [shopPort], agents });
  server = await startServer({ configFile: config.file, vars: { SHOP_TOKEN: SECRET } });
});
afterAll(async () => {
  await server.stop();
  await Promise.all([model.stop(), shop.close(), silent.close()]);
  config.remove();
});
beforeEach(() => {
  conversation = openConversation(createApiClient(server), "declared");
});

/** Runs one call to the end of its turn. */
async function callOf(name: string, args: object = {}) {
  const turn = await conversation.start(askCalls({ name, args }));
  const events = await conversation.end(turn);
  const shown = model.requests.at(-1)?.messages.at(-1)?.content;
  return { events, result: onlyEvent(events, "tool_result"), shown: JSON.stringify(shown) };
}

const rawResult = (call: string): Promise<Response> =>
  createApiClient(server).get(`${conversation.path}/calls/${call}/result`);

describe("HTTP tools", () => {
  test("[TC25] a selected value becomes the text that the file says, with a receipt", async () => {
    const { events, result, shown } = await callOf("order", { id: "a/b" });
    expect(shop.requests.at(-1)?.url).toBe("/orders/a%2Fb");
    expect(result).toMatchObject({ disposition: "succeeded", output: "Order is shipped." });
    expect(result.receipt).toMatch(/^zc-receipt-/);
    expect(onlyEvent(events, "tool_call").tool_origin).toBe("http");
    expect(shown).toContain("Order is shipped.");
    expect(onlyEvent(events, "turn_finished").outcome).toBe("completed");
  });

  test("[TC22][SE67] the secret arrives there and shows nowhere here: model, events, stored result, receipts, log", async () => {
    const told = await callOf("order", { id: "1" });
    expect(shop.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const denied = await callOf("denied");
    expect(denied.result).toMatchObject({ disposition: "failed" });
    expect(denied.shown).toContain("HTTP 401");
    const receipts = await createApiClient(server).get(`${conversation.path}/receipts`);
    const stored = await Promise.all([told, denied].map(({ result }) => rawResult(result.call_id)));
    const everything = [
      JSON.stringify(model.requests),
      JSON.stringify(await conversation.log()),
      await receipts.text(),
      ...(await Promise.all(stored.map((response) => response.text()))),
      server.output(),
    ];
    expect(everything.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(everything[0]).toContain("[REDACTED:own]");
  });

  test("[TC25][BD1] an answer of 4 MiB is shown in part and stored whole; over its limit it is a clear failure", async () => {
    const { result, shown } = await callOf("large");
    expect(result.disposition).toBe("succeeded");
    expect(shown.length).toBeLessThan(200_000);
    const stored = await rawResult(result.call_id);
    expect((await stored.text()) === large).toBe(true);
    const over = await callOf("too_large");
    expect(over.result.disposition).toBe("failed");
    expect(over.shown).toContain("egress blocked: size");
  });

  test("[TC24][SE41] a redirect to a private address is refused, and nobody comes there", async () => {
    const { result, shown } = await callOf("private");
    expect(result.disposition).toBe("failed");
    expect(shown).toContain("egress blocked: scheme");
    expect(silent.requests).toEqual([]);
  });

  test("[EX1][TC24] a server that never answers is timed out at the tool's limit, and asked once", async () => {
    const { result } = await callOf("hangs");
    expect(result.disposition).toBe("timed_out");
    expect(shop.requests.filter(({ url }) => url === "/hang")).toHaveLength(1);
  });

  test.each([
    ["noted", { id: "1", note: "a\r\nx-admin: 1" }, "cannot stand in a header"],
    ["order", { id: ".." }, "makes no part of a path"],
    ["order", {}, "is missing"],
  ])("[TC21][TC22] %s with %j is refused before anything is sent", async (name, args, why) => {
    const before = shop.requests.length;
    const { result, shown } = await callOf(name, args);
    expect([result.disposition, shop.requests.length - before]).toEqual(["failed", 0]);
    expect(shown).toContain(why);
  });

  test("[TC16] GET /v1/tools lists them, and no header of theirs", async () => {
    const listed = await (await createApiClient(server).get("/v1/tools?agent=model")).text();
    expect(listed).toContain('"tool":"order"');
    expect(listed).toContain('"tool_origin":"http"');
    expect(listed).not.toContain("SHOP_TOKEN");
  });
});

describe("tools of a request", () => {
  const client_tools = [{ name: "pick_colour", description: "Asks for a colour", parameters: { type: "object" } }];
  const pick = askCalls({ name: "pick_colour", args: {} });

  test("[TC29][VW5] are offered in this turn, answered by the client, and gone in the next", async () => {
    const waiting = await conversation.turn(pick, { agent: "open", client_tools });
    expect(waiting).toMatchObject({ status: 202, body: { state: "suspended" } });
    const [call] = waiting.body.open_requests?.client_calls ?? [];
    expect(call).toMatchObject({ tool: "pick_colour", arguments: {} });
    expect(JSON.stringify(model.requests.at(-1)?.tools)).toContain("pick_colour");
    expect((await conversation.answer("trn_1", { call_id: call?.call_id, output: "green" })).status).toBe(200);
    const results = await conversation.end("trn_1");
    expect(onlyEvent(results, "tool_result")).toMatchObject({ disposition: "client_result", output: "green" });
    await conversation.turn("and now?", { agent: "open" });
    expect(JSON.stringify(model.requests.at(-1)?.tools)).not.toContain("pick_colour");
  });

  test.each(["__proto__", "constructor", "toString"])("[TC2][SE58] one named %s is a tool like any", async (name) => {
    const { body } = await conversation.turn(askCalls({ name, args: {} }), { agent: "open", client_tools: [{ name }] });
    expect(body.open_requests?.client_calls.map(({ tool }) => tool)).toEqual([name]);
  });

  test.each([
    ["without the grant", { agent: "model", client_tools }, "client_tools"],
    ["a name of the agent's", { agent: "open", client_tools: [{ name: "calculator" }] }, "client_tools.0.name"],
    ["an emoji", { agent: "open", client_tools: [{ name: "🦜" }] }, "client_tools.0.name"],
  ])("[TC29][VW5] %s: 400, and the conversation was never made", async (_what, body, path) => {
    const refused = await conversation.turn("hello", body);
    expect(refused).toMatchObject({ status: 400, body: { type: "/problems/invalid-request", errors: [{ path }] } });
    expect((await createApiClient(server).get(conversation.path)).status).toBe(404);
  });
});
