/** Tools as a config file has them: code as it is, client tools from their entries, in file order, with what is wrong under its path. */
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../src/contracts/json.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { configOf, readWith } from "../config/support.ts";
import { createTestContext } from "./tool-context.ts";

const code = defineTool({ name: "code", description: "Runs here", input: { type: "object" }, execute: () => "ran" });
const inputSchema: JsonSchema = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
};
const entry = (name: string, more: object = {}): object => ({
  kind: "client",
  name,
  description: "Runs there",
  input_schema: inputSchema,
  ...more,
});

/** Through the file's own schema, as the deployment reads it. */
const read = (...tools: readonly object[]) =>
  readConfiguredTools(configOf(readWith({ tools })).tools, { clean: (text) => text, findService: () => undefined });

function toolsOf(...tools: readonly object[]): readonly Tool[] {
  const reading = read(...tools);
  if (!reading.ok) throw new Error(JSON.stringify(reading.failure));
  return reading.value;
}

function onlyTool(more: object = {}): Tool {
  const [tool] = toolsOf(entry("open_map", more));
  if (tool === undefined) throw new Error("no tool");
  return tool;
}

describe("client tools", () => {
  test("[TC27][TC1] an entry becomes a tool of the client, with the defaults of any tool", () => {
    const tool = onlyTool();
    expect(tool).toMatchObject({
      definition: { name: "open_map", description: "Runs there", inputSchema },
      origin: "client",
      client: true,
      provenance: "extension",
      risk: "medium",
      readOnly: false,
      secrets: [],
    });
    expect(tool).not.toHaveProperty("timeoutSecs");
    expect(tool.definitionHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("[TC27][TC1] what the entry says stands, but for whose code it is", () => {
    const output = { type: "object", properties: { lat: { type: "number" } } };
    const tool = onlyTool({
      title: "Map",
      output_schema: output,
      risk: "high",
      read_only: true,
      idempotent: true,
      needs_approval: true,
      tool_timeout_secs: 30,
      provenance: "native",
    });
    expect(tool).toMatchObject({
      definition: { title: "Map", outputSchema: output },
      risk: "high",
      repeatGuard: true,
      readOnly: true,
      idempotent: true,
      timeoutSecs: 30,
      provenance: "extension",
    });
    expect(tool.needsApproval?.({ place: "here" })).toBe(true);
  });

  test("[TC27] its arguments are checked here, before anybody is asked", () => {
    const tool = onlyTool();
    expect(tool.checkArguments({ place: "Madrid" })).toEqual({ ok: true, value: { place: "Madrid" } });
    expect(tool.checkArguments({ place: 7 }).ok).toBe(false);
    expect(tool.checkArguments({}).ok).toBe(false);
  });

  test("[TC27] it cannot be run here", async () => {
    await expect(onlyTool().execute({ place: "Madrid" }, createTestContext())).rejects.toThrow("run by the client");
  });
});

describe("the tools of a file", () => {
  test("[TC27] stand in file order, code as it is; entries among it", () => {
    const http = { ...entry("look_up"), kind: "http", url: "https://api.example.com/" };
    const tools = toolsOf(entry("first"), http, code, entry("last"));
    expect(tools.map(({ definition }) => definition.name)).toEqual(["first", "look_up", "code", "last"]);
    expect(tools[2]).toBe(code);
  });

  test("[CF6] a schema that cannot be checked is a fault under its place in the file", () => {
    const bad = { type: "object", $schema: "https://example.com/other" };
    const reading = read(code, entry("broken", { input_schema: bad, output_schema: bad }));
    expect(reading.ok ? [] : reading.failure.map(({ path }) => path)).toEqual([
      "tools[1].input_schema.$schema",
      "tools[1].output_schema.$schema",
    ]);
  });
});
