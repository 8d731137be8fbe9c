/** Service tools: what another Worker is sent, and which of its answers are results. */
import { describe, expect, test } from "vitest";
import type { Tool } from "../../src/contracts/tool.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import type { ServicePort } from "../../src/tools/service-tool.ts";
import { configOf, readWith } from "../config/support.ts";
import { runTool } from "./run-tool.ts";

const entry = {
  kind: "service",
  name: "refund",
  description: "Refunds it",
  input_schema: { type: "object", properties: { order: { type: "string" } } },
  binding: "SHOP",
};
const read = (more: object, service: ServicePort | undefined) =>
  readConfiguredTools(configOf(readWith({ tools: [{ ...entry, ...more }] })).tools, {
    clean: (text) => text,
    findService: (name) => (name === "SHOP" ? service : undefined),
  });

function serviceTool(answer: (request: Request) => Response | Promise<Response>, more: object = {}): Tool {
  const tools = read(more, { fetch: async (url, init) => answer(new Request(url, init)) });
  const tool = tools.ok ? tools.value[0] : undefined;
  if (tool === undefined) throw new Error("no tool");
  return tool;
}
const answering = (body: string, status = 200): Promise<unknown> =>
  runTool(
    serviceTool(() => new Response(body, { status })),
    { order: "7" },
  );

describe("the call", () => {
  test("[TC26] is a POST of the arguments and of whose call it is, to a path of the tool's name", async () => {
    const seen: unknown[] = [];
    const tool = serviceTool(async (request) => {
      seen.push(
        request.method,
        new URL(request.url).pathname,
        request.headers.get("content-type"),
        await request.json(),
      );
      return Response.json({ success: true, output: "refunded", data: { cents: 5 } });
    });
    expect(await runTool(tool, { order: "7" }, { idempotencyKey: "k-1" })).toEqual({
      success: true,
      output: "refunded",
      data: { cents: 5 },
    });
    const call = { tenant: "dev", conversation: "conv_1", turn: "turn_1", call_id: "call_1", agent: "assistant" };
    expect(seen).toEqual([
      "POST",
      "/tools/refund",
      "application/json",
      { arguments: { order: "7" }, call: { ...call, subject: "key:dev", idempotency_key: "k-1" } },
    ]);
  });

  test("[TC26] goes to the entry's own path, and without a key when it has none", async () => {
    const seen: unknown[] = [];
    const answer = async (request: Request) => {
      const { call } = await request.json<{ call: object }>();
      seen.push(new URL(request.url).pathname, Object.keys(call));
      return Response.json({ success: false, error: "closed", output: "come back" });
    };
    expect(await runTool(serviceTool(answer, { path: "/v2/refunds" }), {})).toMatchObject({ error: "closed" });
    expect(seen[0]).toBe("/v2/refunds");
    expect(seen[1]).not.toContain("idempotency_key");
  });

  test("[TC26] a service tool is an extension of its own origin, and nothing makes it harmless by itself", () => {
    const tool = serviceTool(() => new Response(), { provenance: "native" });
    expect(tool).toMatchObject({ origin: "service", provenance: "extension", readOnly: false, risk: "medium" });
  });

  test("[TC26] the call's signal ends it", async () => {
    const call = new AbortController();
    const tool = serviceTool(
      (request) => new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("cut")))),
    );
    const running = runTool(tool, {}, { signal: call.signal });
    call.abort();
    expect(await running).toEqual({ success: false, error: "request stopped" });
  });
});

describe("any other answer fails", () => {
  test.each(["<html>", '"done"', "[]", "{}", "null", ""])("[TC26] %j", async (body) => {
    expect(await answering(body, 502)).toEqual({
      success: false,
      error: "the service answered HTTP 502 and no tool result",
    });
  });

  test("[TC26] so does one without end, and a service that breaks off says nothing of why", async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: (out) => out.enqueue(new Uint8Array(1_000_000)) });
    const tool = serviceTool(() => new Response(endless));
    expect(await runTool(tool, {})).toMatchObject({ success: false, error: expect.stringContaining("8 MiB") });
    const broken = serviceTool(() => Promise.reject(new Error("internal host 10.0.0.1")));
    expect(await runTool(broken, {})).toEqual({ success: false, error: "the service could not be reached" });
  });
});

test("[TC26][CF6] a binding that is missing is a fault of the entry", () => {
  expect(read({}, undefined)).toEqual({
    ok: false,
    failure: [{ path: "tools[0].binding", message: "there is no service binding SHOP" }],
  });
});
