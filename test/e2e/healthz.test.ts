/** A real server starts, answers and goes away completely. */
import { expect, test } from "vitest";
import { isPortFree } from "../../scripts/lib/free-port.ts";
import { startServer } from "../support/dev-server.ts";

test("a server answers /healthz until it is stopped", async () => {
  const server = await startServer();
  const response = await fetch(`${server.url}/healthz`);
  expect(response.status).toBe(200);
  await server.stop();
  expect(await isPortFree(Number(new URL(server.url).port))).toBe(true);
});

test("a killed server leaves nothing on its port", async () => {
  const server = await startServer();
  await server.kill();
  expect(await isPortFree(Number(new URL(server.url).port))).toBe(true);
});
