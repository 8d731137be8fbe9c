/** Names that must lead somewhere. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/read-config.ts";
import { formatPath } from "../../src/config/value-paths.ts";
import { fullFile } from "./full-file.ts";
import { changeAt, environment, faultsOf, leastFile, pathsOf, readWith, type Step } from "./support.ts";

const readAt = (path: readonly Step[], value: unknown) => readConfig(changeAt(fullFile, path, value), environment);

const needed: readonly (readonly [Step[], string])[] = [
  [["default_agent"], "agent"],
  [["agents", "clerk", "model_provider"], "provider"],
  [["agents", "clerk", "risk_profile"], "risk profile"],
  [["agents", "clerk", "runtime_profile"], "runtime profile"],
  [["agents", "clerk", "delegates", 0], "agent"],
  [["providers", "main", "members", 1], "provider"],
  [["hooks", 0, "agent"], "agent"],
];

const optional: readonly (readonly [Step[], string])[] = [
  [["agents", "clerk", "tool_bundles", 0], "tool bundle"],
  [["agents", "clerk", "mcp_bundles", 0], "MCP bundle"],
  [["mcp", "bundles", "office", "servers", 0], "MCP server"],
];

describe("references", () => {
  test.each(needed)("[CF3] %j that does not exist is a fault", (path, what) => {
    expect(faultsOf(readAt(path, "nowhere"))).toContainEqual({
      path: formatPath(path),
      message: `there is no ${what} of this name`,
    });
  });

  test("[CF3] the provider of a switchable model must exist", () => {
    expect(pathsOf(faultsOf(readAt(["agents", "clerk", "switchable_models", 0], "nowhere/large")))).toEqual([
      "agents.clerk.switchable_models[0]",
    ]);
  });

  test.each(optional)("[CF3] %j that does not exist is a warning", (path, what) => {
    const reading = readAt(path, "nowhere");
    expect(reading.ok).toBe(true);
    expect(reading.warnings).toContainEqual({
      path: formatPath(path),
      message: `there is no ${what} of this name, so it grants nothing`,
    });
  });

  test("[CF3] a bundle's tool that does not exist is a warning", () => {
    const reading = readAt(["tool_bundles", "orders", "tools", 0], "nothing_*");
    expect(reading.ok).toBe(true);
    expect(pathsOf(reading.warnings)).toContain("tool_bundles.orders.tools[0]");
  });

  test("[CF3] a built-in tool that does not exist is a warning", () => {
    const reading = readAt(["agents", "clerk", "builtin_tools", 0], "shell");
    expect(reading.ok).toBe(true);
    expect(pathsOf(reading.warnings)).toContain("agents.clerk.builtin_tools[0]");
  });

  test("[CF4] the profiles named default can be named without being in the file", () => {
    const { assistant } = leastFile.agents;
    const named = { ...assistant, risk_profile: "default", runtime_profile: "default" };
    expect(readWith({ agents: { assistant: named } }).ok).toBe(true);
  });

  test("[CF3] a route cannot be the member of a route", () => {
    expect(faultsOf(readAt(["providers", "main", "members", 0], "main"))).toEqual([
      { path: "providers.main.members[0]", message: "is a route itself; the members of a route are single providers" },
    ]);
  });

  test("[CF4] without an enabled agent nothing can start", () => {
    const { assistant } = leastFile.agents;
    const off = { ...assistant, enabled: false };
    expect(faultsOf(readWith({ agents: { assistant: off } }))).toEqual([
      { path: "agents", message: "needs at least one agent that is enabled" },
    ]);
    expect(pathsOf(faultsOf(readWith({ agents: {} })))).toEqual(["agents"]);
    const reading = readWith({ default_agent: "off", agents: { off, assistant } });
    expect(faultsOf(reading)).toEqual([{ path: "default_agent", message: "names an agent that is disabled" }]);
  });

  test("[CF3] a name from an object's prototype leads nowhere", () => {
    expect(pathsOf(faultsOf(readAt(["agents", "clerk", "model_provider"], "constructor")))).toEqual([
      "agents.clerk.model_provider",
    ]);
  });
});
