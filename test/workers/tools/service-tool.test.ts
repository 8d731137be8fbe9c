/** A service tool over a real binding of workerd. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { serviceOf } from "../../../durable-objects/deployment.ts";
import { createServiceTool } from "../../../src/tools/service-tool.ts";
import { createTestContext } from "../../tools/tool-context.ts";

test("[TC26] a bound Worker is found by its name, and nothing else is taken for one", () => {
  const find = serviceOf(env);
  expect(find("TEST_SERVICE")).toBeDefined();
  for (const name of ["CONVERSATIONS", "TENANTS", "RECEIPT_KEYS", "NOWHERE", "__proto__", "constructor"]) {
    expect([name, find(name)]).toEqual([name, undefined]);
  }
});

test("[TC26] it is called over the binding, and its tool result is the call's", async () => {
  const service = serviceOf(env)("TEST_SERVICE");
  if (service === undefined) throw new Error("not bound");
  const inputSchema = { type: "object" };
  const declared = {
    kind: "service",
    name: "echo",
    description: "Echoes",
    inputSchema,
    binding: "TEST_SERVICE",
  } as const;
  const result = await createServiceTool(declared, service).execute({ order: "7" }, createTestContext());
  expect(result).toEqual({ success: true, output: "/tools/echo", data: { order: "7" } });
});
