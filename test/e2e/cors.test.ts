/** The origins of the config file reach the edge of a real server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { acceptStream, createApiClient, freshConversation } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";

const directory = mkdtempSync(join(tmpdir(), "countersign-pages-"));
const configFile = join(directory, "pages.config.ts");
let server: RunningServer;
beforeAll(async () => {
  writeFileSync(
    configFile,
    `import { defineConfig } from "countersign";
export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
  cors: { allow_origins: ["https://app.example.com"] },
});
`,
  );
  server = await startServer({ configFile });
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

test.each([
  ["https://app.example.com", "https://app.example.com"],
  ["https://other.example.com", null],
])("[SE51][SS14] a stream that %s asks for names %s as its reader", async (origin, reader) => {
  const path = `/v1/conversations/${freshConversation("pages")}/turns`;
  const response = await createApiClient(server).post(path, { input: "what is 1+1?" }, { ...acceptStream, origin });
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe(reader);
  expect(await response.text()).toContain("event: turn_finished");
});
