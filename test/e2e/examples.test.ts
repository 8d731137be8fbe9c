/** Every example is a config file that starts a server, and a turn that uses its tool. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { createApiClient, onlyEvent } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { openConversation, type TestConversation } from "../support/lifecycle-room.ts";
import { type LocalServer, startLocalServer } from "../tools/local-server.ts";

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(configFile: string, vars: Record<string, string> = {}): Promise<TestConversation> {
  const server: RunningServer = await startServer({ configFile, vars });
  closing.push(() => server.stop());
  return openConversation(createApiClient(server), "example");
}

test("[TC1] the tool in code", async () => {
  const conversation = await start("examples/code-tool.config.ts");
  const { body } = await conversation.turn('count words "to be or not to be"');
  expect(body.text).toContain("6 words");
});

test("[TC25][TC22] the HTTP tool, its shop moved to this machine", async () => {
  const shop: LocalServer = await startLocalServer((request, response) => {
    const number = request.url?.split("/").at(-1);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ order: { number, state: "shipped" } }));
  });
  const directory = mkdtempSync(join(tmpdir(), "countersign-example-"));
  closing.push(
    () => shop.close(),
    () => rmSync(directory, { recursive: true }),
  );
  const file = join(directory, "http-tool.config.ts");
  const source = readFileSync(join(projectRoot, "examples/http-tool.config.ts"), "utf8");
  const moved = source
    .replace('allow_hosts: ["shop.example.com"]', `dev_hosts: ["${shop.host}"]`)
    .replace("https://shop.example.com", shop.url);
  writeFileSync(file, moved);
  const conversation = await start(file, { SHOP_TOKEN: "token-of-the-shop" });
  const { body } = await conversation.turn("order status 123456");
  expect(body.text).toContain("Order 123456 is shipped.");
  const [asked] = shop.requests;
  expect([asked?.url, asked?.headers.authorization]).toEqual(["/orders/123456", "Bearer token-of-the-shop"]);
});

test("[TC27] the client tool: the turn waits for the app", async () => {
  const conversation = await start("examples/client-tool.config.ts");
  const { body } = await conversation.turn("pick colour");
  const [call] = body.open_requests?.client_calls ?? [];
  expect(call?.tool).toBe("pick_colour");
  await conversation.answer("trn_1", { call_id: call?.call_id, output: "green" });
  expect(onlyEvent(await conversation.end("trn_1"), "turn_finished").text).toContain("green");
});
