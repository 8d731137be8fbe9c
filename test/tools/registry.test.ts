/** Assembly of an agent's tools: order, what takes tools away, what a name means. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RiskProfile } from "../../src/contracts/agent-profile.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { builtinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { currentTime } from "../../src/tools/builtin/current-time.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { type ToolSources, assembleTools } from "../../src/tools/registry.ts";
import type { ToolDeclaration } from "../../src/tools/tool-declaration.ts";

function tool(name: string, flags: Partial<ToolDeclaration<{ type: "object" }>> = {}): Tool {
  return defineTool({ name, description: name, input: { type: "object" }, execute: () => name, ...flags });
}

const risk: RiskProfile = {
  level: "supervised",
  autoApprove: ["calculator", "current_time"],
  alwaysAsk: [],
  allowedTools: [],
  excludedTools: [],
  approvalTimeoutSecs: 120,
  approvalRoute: null,
  delegationPolicy: { mode: "forbidden" },
  mcpAutoAdmit: true,
  onDefinitionChange: "disable",
};

const configured = [tool("order_status", { readOnly: true }), tool("refund"), tool("files__read"), tool("stock")];

type Change = Partial<Omit<ToolSources, "agent" | "risk" | "runtime">> & {
  readonly agent?: Partial<ToolSources["agent"]>;
  readonly risk?: Partial<RiskProfile>;
  readonly readResultTool?: boolean;
};

function sources(change: Change = {}): ToolSources {
  const { agent, risk: riskChange, readResultTool = false, ...rest } = change;
  return {
    agent: { builtinTools: ["calculator", "current_time"], toolBundles: [], switchableModels: [], ...agent },
    risk: { ...risk, ...riskChange },
    runtime: { readResultTool },
    builtins: builtinTools,
    configured,
    bundles: new Map(),
    mcp: { deferredLoading: false, deferredAutoMin: 30 },
    ...rest,
  };
}

const namesOf = (given: ToolSources): string[] => assembleTools(given).visible.map(({ definition }) => definition.name);
const names = (change: Change = {}): string[] => namesOf(sources(change));
const kindOf = (change: Change, name: string): string => assembleTools(sources(change)).resolve(name).kind;

describe("order and selection", () => {
  test("[RG2] built-ins in their own order, whatever the patterns', then configured tools in file order", () => {
    const all = ["current_time", "calculator", "order_status", "refund", "files__read", "stock"];
    expect(names()).toEqual(all);
    expect(names({ agent: { builtinTools: ["*"] }, readResultTool: true })).toEqual([
      "read_result",
      "todo_write",
      "current_time",
      "calculator",
      "http_request",
      "memory_store",
      "memory_recall",
      ...all.slice(2),
    ]);
    expect(names({ agent: { builtinTools: [] } })).toEqual(all.slice(2));
  });

  test("[TC34] model_switch is offered where there is a model to switch to", () => {
    const agent = { builtinTools: ["model_switch"], switchableModels: ["main/large"] };
    expect(names({ agent })[0]).toBe("model_switch");
    expect(names({ agent: { ...agent, switchableModels: [] } })).not.toContain("model_switch");
    expect(names({ agent: { ...agent, builtinTools: ["calculator"] } })).not.toContain("model_switch");
  });

  test("[BD9] read_result is offered by the runtime profile alone", () => {
    expect(names({ agent: { builtinTools: ["read_result", "*"] } })).not.toContain("read_result");
    expect(names({ agent: { builtinTools: [] }, readResultTool: true })[0]).toBe("read_result");
  });

  test("[RG7] of two tools of one name the first stays: a built-in is never replaced", () => {
    const impostor = tool("calculator");
    const second = tool("stock");
    const { visible } = assembleTools(sources({ configured: [impostor, ...configured, second] }));
    expect(visible).not.toContain(impostor);
    expect(visible).not.toContain(second);
    expect(visible.filter(({ definition }) => definition.name === "calculator")).toHaveLength(1);
  });

  test("[RG10] the same input gives the same list of the same tools", () => {
    const once = assembleTools(sources()).visible;
    expect(assembleTools(sources()).visible.every((found, index) => found === once[index])).toBe(true);
    expect(Object.isFrozen(once)).toBe(true);
  });
});

describe("bundles", () => {
  const bundles = new Map([
    ["money", { tools: ["refund", "order_status"], exclude: [] }],
    ["shop", { tools: ["stock", "order_*"], exclude: [] }],
    ["safe", { tools: ["*"], exclude: ["refund"] }],
  ]);
  const bundled = (...toolBundles: string[]): string[] => names({ agent: { builtinTools: [], toolBundles }, bundles });

  test("[RG3] the union in the order in which the bundles name the tools", () => {
    expect(bundled("money")).toEqual(["refund", "order_status"]);
    expect(bundled("shop", "money")).toEqual(["stock", "order_status", "refund"]);
  });

  test("[RG3] what any named bundle excludes is out, whoever names it", () => {
    expect(bundled("money", "safe")).toEqual(["order_status", "files__read", "stock"]);
  });

  test("[RG3] an unknown bundle grants nothing and widens nothing", () => {
    expect(bundled("nobody", "money")).toEqual(["refund", "order_status"]);
    expect(bundled("nobody")).toEqual([]);
    expect(bundled("constructor")).toEqual([]);
  });

  test("[RG3] bundles are over configured tools: built-ins stay", () => {
    expect(names({ agent: { toolBundles: ["money"] }, bundles }).slice(0, 2)).toEqual(["current_time", "calculator"]);
  });

  test("[RG11] a tool outside the agent's bundles does not exist for it", () => {
    expect(kindOf({ agent: { toolBundles: ["money"] }, bundles }, "stock")).toBe("unknown");
    expect(kindOf({ agent: { toolBundles: ["safe"] }, bundles }, "refund")).toBe("unknown");
  });
});

describe("policy", () => {
  test("[RG4] a list of allowed tools admits what it matches, with no exception for a name that looks like MCP", () => {
    expect(names({ risk: { allowedTools: ["order_*", "calculator"] } })).toEqual(["calculator", "order_status"]);
  });

  test("[RG6] exclusion wins over allow lists and bundles, after trimming and folding", () => {
    const change = {
      agent: { toolBundles: ["all"] },
      bundles: new Map([["all", { tools: ["*"], exclude: [] }]]),
      risk: { allowedTools: ["*"], excludedTools: [" REFUND ", "Files__*"] },
    };
    expect(names(change)).toEqual(["current_time", "calculator", "order_status", "stock"]);
    expect(kindOf(change, "refund")).toBe("not_available");
  });

  test("[RG8] level read_only removes whatever changes something", () => {
    const change = { agent: { builtinTools: ["*"] }, risk: { level: "read_only" as const } };
    expect(names(change)).toEqual(["todo_write", "current_time", "calculator", "memory_recall", "order_status"]);
    expect(kindOf(change, "http_request")).toBe("not_available");
  });

  test("[RG5] a run's list intersects, an empty one grants nothing, its exclusions add", () => {
    expect(names({ narrowing: { allowedTools: ["refund", "no_such_tool"] } })).toEqual(["refund"]);
    expect(names({ narrowing: { allowedTools: [] } })).toEqual([]);
    expect(names({ narrowing: { allowedTools: ["*"], excludedTools: ["C*"] } })).toEqual([
      "order_status",
      "refund",
      "files__read",
      "stock",
    ]);
  });

  test("[RG5] narrowing can only take away", () => {
    const parts = fc.constantFrom("*", "calculator", "CALCULATOR", "order_*", "*d", "refund", "files__*", "ghost", "");
    const list = fc.array(parts, { maxLength: 4 });
    const lists = fc.record({ allowedTools: list, excludedTools: list });
    const narrowings = fc.record({ allowedTools: list, excludedTools: list }, { requiredKeys: [] });
    fc.assert(
      fc.property(lists, narrowings, (profile, narrowing) => {
        const change = { risk: profile };
        const wide = names(change);
        const narrowed = names({ ...change, narrowing });
        expect(wide.filter((name) => narrowed.includes(name))).toEqual(narrowed);
      }),
    );
  });

  test("[RG6] no list brings an excluded name back", () => {
    const parts = fc.constantFrom("*", "refund", "re*", "order_status", "calculator");
    const list = fc.array(parts, { maxLength: 3 });
    fc.assert(
      fc.property(list, list, list, (allowedTools, tools, builtins) => {
        const visible = names({
          agent: { builtinTools: builtins, toolBundles: ["b"] },
          bundles: new Map([["b", { tools, exclude: [] }]]),
          risk: { allowedTools, excludedTools: ["refund"] },
          narrowing: { allowedTools: ["*"], excludedTools: ["Calculator"] },
        });
        expect(visible.filter((name) => name === "refund" || name === "calculator")).toEqual([]);
      }),
    );
  });
});

describe("names", () => {
  test("[RG12] a granted name resolves to the tool itself", () => {
    expect(assembleTools(sources()).resolve("refund")).toEqual({ kind: "granted", tool: configured[1] });
  });

  test("[RG11] a name that exists but was taken away is not available, any other is unknown", () => {
    const change = { narrowing: { excludedTools: ["refund"] } };
    expect(assembleTools(sources(change)).resolve("refund")).toEqual({ kind: "not_available" });
    expect(assembleTools(sources(change)).resolve("refunds")).toEqual({ kind: "unknown" });
    expect(kindOf(change, "http_request")).toBe("unknown");
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty", "", "Refund", " refund"])(
    "[SE58] %j is unknown",
    (name) => {
      expect(kindOf({}, name)).toBe("unknown");
    },
  );

  test("[TC2] a tool may be called constructor, and is then found as one", () => {
    const named = tool("constructor");
    expect(assembleTools(sources({ configured: [named] })).resolve("constructor")).toEqual({
      kind: "granted",
      tool: named,
    });
  });
});

describe("deferred loading", () => {
  const foreign = (count: number): Tool[] =>
    Array.from({ length: count }, (_, n) => ({
      ...tool(`srv__t${n}`, { readOnly: n % 2 === 0 }),
      origin: "mcp" as const,
    }));
  const deferred = (change: Change, loading: boolean | "auto" = true) =>
    assembleTools(sources({ mcp: { deferredLoading: loading, deferredAutoMin: 30 }, ...change }));
  const listOf = (tools: readonly Tool[]) => tools.map(({ definition }) => definition.name);

  test("[TS10][DM3] granted MCP tools become stubs, and tool_search stands where built-ins do; all others stay loaded", () => {
    const registry = deferred({ mcpTools: foreign(2) });
    expect(listOf(registry.stubs)).toEqual(["srv__t0", "srv__t1"]);
    expect(listOf(registry.visible)).toEqual([
      "current_time",
      "calculator",
      "tool_search",
      "order_status",
      "refund",
      "files__read",
      "stock",
    ]);
    expect(registry.resolve("srv__t0")).toEqual({ kind: "stub", tool: registry.stubs[0] });
  });

  test("[DM3] without a stub there is nothing to search: not available where tools are deferred, unknown where not", () => {
    expect(deferred({}).resolve("tool_search")).toEqual({ kind: "not_available" });
    expect(deferred({ mcpTools: foreign(1) }, false).resolve("tool_search")).toEqual({ kind: "unknown" });
  });

  test.each([
    ["auto", 30, 0],
    ["auto", 31, 31],
    [true, 1, 1],
    [false, 40, 0],
  ] as const)("[DM1] %s with %i granted tools: %i stubs", (loading, count, stubs) => {
    expect(deferred({ mcpTools: foreign(count) }, loading).stubs).toHaveLength(stubs);
    expect(
      deferred({ mcpTools: foreign(count) }, loading).visible.filter(({ origin }) => origin === "mcp"),
    ).toHaveLength(count - stubs);
  });

  test("[DM1] what policy takes away does not count", () => {
    const excludedTools = ["srv__t1*"];
    expect(deferred({ mcpTools: foreign(40), risk: { excludedTools } }, "auto").stubs).toEqual([]);
  });

  test("[RG2] MCP tools stand behind configured ones, and tool bundles do not touch them", () => {
    const change = { mcpTools: foreign(1), agent: { builtinTools: [], toolBundles: ["nobody"] } };
    expect(names(change)).toEqual(["srv__t0"]);
  });

  test("[RG7] an MCP tool whose name is taken is left out", () => {
    const impostor = { ...tool("calculator"), origin: "mcp" as const };
    expect(deferred({ mcpTools: [impostor] }).stubs).toEqual([]);
  });

  const policies = fc.record({
    level: fc.constantFrom("supervised" as const, "read_only" as const),
    excludedTools: fc.array(fc.constantFrom("srv__t1", " SRV__T2 ", "srv__*", "refund"), { maxLength: 2 }),
    allowedTools: fc.array(fc.constantFrom("srv__t0", "calculator", "tool_search"), { maxLength: 2 }),
    mcpAutoAdmit: fc.boolean(),
  });
  const runs = fc.record({ allowedTools: fc.constantFrom([], ["srv__t*"], ["*"]) }, { requiredKeys: [] });

  test("[TS13][RG6][RG8] deferring changes when a tool is offered, never whether it is granted", () => {
    fc.assert(
      fc.property(policies, runs, (change, narrowing) => {
        const given = { mcpTools: foreign(4), risk: change, narrowing };
        const eager = deferred(given, false);
        const lazy = deferred(given);
        const withoutSearch = listOf(lazy.visible).filter((name) => name !== "tool_search");
        expect([...withoutSearch, ...listOf(lazy.stubs)]).toEqual(listOf(eager.visible));
        for (const { definition } of foreign(4)) {
          const kind = eager.resolve(definition.name).kind;
          expect(lazy.resolve(definition.name).kind).toBe(kind === "granted" ? "stub" : kind);
        }
      }),
    );
  });

  test("[TC16] stubs are listed as the tools they stand for, tool_search is not", () => {
    const listed = deferred({ mcpTools: foreign(1), configured: [] }).describe();
    expect(listed.map(({ tool: { definition }, deferred: later }) => [definition.name, later])).toEqual([
      ["current_time", false],
      ["calculator", false],
      ["srv__t0", true],
    ]);
  });
});

describe("listing", () => {
  const prompts = (change: Change): Record<string, boolean> =>
    Object.fromEntries(
      assembleTools(sources(change))
        .describe()
        .map((listed) => [listed.tool.definition.name, listed.prompts]),
    );

  test("[TC16] lists what is granted, in order, with what a call would need", () => {
    const listed = assembleTools(sources({ risk: { excludedTools: ["stock"] } })).describe();
    expect(listed.map(({ tool: { definition } }) => definition.name)).toEqual([
      "current_time",
      "calculator",
      "order_status",
      "refund",
      "files__read",
    ]);
    expect(listed[0]).toEqual({ tool: currentTime, prompts: false, visible: true, deferred: false });
    expect(prompts({})).toMatchObject({ calculator: false, order_status: true, refund: true });
    expect(prompts({ risk: { level: "full", alwaysAsk: ["*"] } })).toMatchObject({ refund: false });
    expect(prompts({ risk: { autoApprove: ["*"], alwaysAsk: ["refund"] } })).toMatchObject({
      refund: true,
      stock: false,
    });
  });

  test("[TC16] a tool that may ask about its arguments counts as one that prompts", () => {
    const asking = tool("asking", { needsApproval: () => false });
    expect(prompts({ configured: [asking], risk: { autoApprove: ["*"] } })).toMatchObject({ asking: true });
  });
});

test("[TC30] every built-in is ours and sound, and only those that reach nothing outside are low and read-only", () => {
  const flags = builtinTools.map(({ definition, risk: level, readOnly }) => [definition.name, level, readOnly]);
  expect(flags).toEqual([
    ["read_result", "low", true],
    ["todo_write", "low", true],
    ["current_time", "low", true],
    ["calculator", "low", true],
    ["http_request", "high", false],
    ["memory_store", "low", false],
    ["memory_recall", "low", true],
    ["model_switch", "low", false],
    ["tool_search", "low", true],
  ]);
  for (const { origin, provenance, client } of builtinTools)
    expect([origin, provenance, client]).toEqual(["builtin", "native", false]);
  expect(
    builtinTools.every((found) => !found.checkArguments({ expression: 1, call_id: 1, timezone: 1, action: 1 }).ok),
  ).toBe(true);
});
