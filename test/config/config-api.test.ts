/** What a config file imports as `countersign`. */
import * as api from "countersign";
import { describe, expect, test } from "vitest";
import shipped from "../../countersign.config.ts";
import { configOf, environment } from "./support.ts";
import { readConfig } from "../../src/config/read-config.ts";

describe("countersign", () => {
  test("[CF1] has what a config file needs, and nothing else", () => {
    expect(Object.keys(api).toSorted()).toEqual(["defineConfig", "defineHook", "defineTool", "fail", "ok", "partial"]);
  });

  test("[CF1] defineHook fills in defaults and freezes", () => {
    const run = () => undefined;
    const hook = api.defineHook({ name: "h", on: "before_tool_call", run });
    expect(hook).toEqual({ name: "h", on: "before_tool_call", run, priority: 0, failClosed: false, agents: [] });
    expect(Object.isFrozen(hook)).toBe(true);
    expect(api.defineHook({ name: "h", on: "after_tool_call", run, priority: 3 }).priority).toBe(3);
  });
});

describe("the shipped file", () => {
  const reading = readConfig(shipped, { ...environment, env: "live", boundSecrets: new Set() });
  const config = configOf(reading);

  test("[CF6] has neither fault nor warning, in production too", () => {
    expect(reading.warnings).toEqual([]);
  });

  test("[CF4] one agent on the embedded provider, whose approvals wait a week", () => {
    expect([...config.agents.keys()]).toEqual(["assistant"]);
    const assistant = config.agents.get("assistant");
    expect(assistant?.clientToolsFromRequest).toBe(true);
    expect(config.providers.get(assistant?.modelProvider ?? "")?.kind).toBe("embedded");
    expect(config.riskProfiles.get(assistant?.riskProfile ?? "")?.approvalTimeoutSecs).toBe(604_800);
  });
});
