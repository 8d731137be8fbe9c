/** Names of configured tools, and tools whose definition is wrong. */
import { defineTool, ok } from "countersign";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { offerableBuiltins } from "../../src/config/checks/tool-names.ts";
import { faultsOf, leastFile, pathsOf, readWith } from "./support.ts";

const codeTool = (name: string) =>
  defineTool({ name, description: "Does it", input: z.object({}), execute: () => ok("done") });
const clientTool = (name: string) => ({
  kind: "client",
  name,
  description: "Does it",
  input_schema: { type: "object" },
});

describe("names of tools", () => {
  test("[RG7] two of one name are a fault at the second", () => {
    const reading = readWith({ tools: [codeTool("a"), clientTool("b"), codeTool("b"), clientTool("a")] });
    expect(faultsOf(reading)).toEqual([
      { path: "tools[2]", message: "a tool named b is configured before" },
      { path: "tools[3].name", message: "a tool named a is configured before" },
    ]);
  });

  test("[RG7] names are compared exactly", () => {
    expect(readWith({ tools: [codeTool("a"), codeTool("A"), codeTool("constructor")] }).ok).toBe(true);
  });

  test("[RG7] one named like a built-in that an agent is offered is a fault", () => {
    expect(pathsOf(faultsOf(readWith({ tools: [codeTool("calculator")] })))).toEqual(["tools[0]"]);
    const { assistant } = leastFile.agents;
    const withMemory = { assistant: { ...assistant, builtin_tools: ["memory_*"] } };
    expect(pathsOf(faultsOf(readWith({ agents: withMemory, tools: [clientTool("memory_store")] })))).toEqual([
      "tools[0].name",
    ]);
    expect(readWith({ agents: withMemory, tools: [codeTool("calculator")] }).ok).toBe(true);
  });

  test.each([
    ["read_result", { runtime_profiles: { default: { read_result_tool: true } } }],
    ["delegate", { risk_profiles: { default: { delegation_policy: { mode: "allow" } } } }],
    ["tool_search", { mcp: { deferred_loading: "auto" } }],
  ])("[RG7] %s is taken once its setting offers it", (name, setting) => {
    expect(readWith({ tools: [codeTool(name)] }).ok).toBe(true);
    expect(pathsOf(faultsOf(readWith({ tools: [codeTool(name)], ...setting })))).toEqual(["tools[0]"]);
  });

  test.each(offerableBuiltins)("[RG7] %s is known as a built-in", (name) => {
    const agents = { assistant: { ...leastFile.agents.assistant, builtin_tools: [name] } };
    const reading = readWith({ agents, egress: { allow_hosts: ["example.com"] }, tools: [codeTool(name)] });
    expect(pathsOf(faultsOf(reading))).toEqual(["tools[0]"]);
  });

  test("[CF2] what is wrong with a definition is told under its place", () => {
    const wrong = defineTool({ name: "1st", description: "", input: z.object({}), execute: () => ok("") });
    const paths = pathsOf(faultsOf(readWith({ tools: [codeTool("a"), wrong] })));
    expect(paths).toContain("tools[1].name");
    expect(paths).toContain("tools[1].description");
  });

  test("[CF3] MCP servers of one name, whatever its case, are a fault", () => {
    const url = "https://s.example.com/";
    const reading = readWith({
      mcp: {
        servers: [
          { name: "files", url },
          { name: "Files", url },
        ],
      },
    });
    expect(pathsOf(faultsOf(reading))).toEqual(["mcp.servers[1].name"]);
  });
});
