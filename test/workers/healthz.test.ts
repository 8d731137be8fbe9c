/** The Worker answers inside workerd, with its bindings. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

test("the Worker answers /healthz in workerd", async () => {
  const response = await exports.default.fetch("http://localhost/healthz");
  expect(response.status).toBe(200);
});
