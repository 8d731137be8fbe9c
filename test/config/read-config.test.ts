/** readConfig: what a file becomes, and that everything wrong with it is told at once, with its place. */
import { describe, expect, test } from "vitest";
import { formatPath } from "../../src/config/value-paths.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { fullFile } from "./full-file.ts";
import { changeAt, configOf, environment, faultsOf, leastFile, pathsOf, readWith, type Step } from "./support.ts";

const read = (file: unknown) => readConfig(file, environment);

describe("a file without a fault", () => {
  test("[CF2] the full file is read", () => {
    expect(faultsOf(read(fullFile))).toEqual([]);
  });

  test("[CF2] keys come out in camelCase, names that the file chose as they stand", () => {
    const config = configOf(read(fullFile));
    expect(config.agents.get("clerk")).toMatchObject({
      alias: "clerk",
      modelProvider: "main",
      toolReceipts: { showInResponse: true },
    });
    expect(config.riskProfiles.get("shop")?.approvalRoute).toEqual({
      approverChannel: "finance",
      onNoApprover: "deny",
      timeoutSecs: 120,
    });
    const second = config.providers.get("second");
    expect(second?.headers).toEqual(new Map([["x-team", "shop"]]));
    expect(second?.models.get("large")).toEqual({ inputUsdPerMtok: 1, outputUsdPerMtok: 2 });
    expect(config.mcp.servers[0]?.tools).toEqual(new Map([["read*", { readOnly: true }]]));
    expect(config.tools[1]).toMatchObject({ inputSchema: { properties: { cents: { type: "integer" } } } });
  });

  test("[CF1] defineTool and defineHook values come out as they went in", () => {
    const config = configOf(read(fullFile));
    expect(config.tools[0]).toBe(fullFile.tools?.[0]);
    expect(config.toolHooks[0]).toBe(fullFile.tool_hooks?.[0]);
  });

  test("[CF4] agents, profiles, providers and tools keep the order of the file", () => {
    const agents = {
      zoe: leastFile.agents.assistant,
      adam: leastFile.agents.assistant,
      mia: leastFile.agents.assistant,
    };
    const config = configOf(readWith({ agents }));
    expect([...config.agents.keys()]).toEqual(["zoe", "adam", "mia"]);
    expect([...configOf(read(fullFile)).providers.keys()]).toEqual(["embedded", "second", "main"]);
  });

  test("[CF4] the first enabled agent answers by default", () => {
    const { assistant } = leastFile.agents;
    const config = configOf(readWith({ agents: { off: { ...assistant, enabled: false }, on: assistant } }));
    expect(config.defaultAgent).toBe("on");
    expect(configOf(read(fullFile)).defaultAgent).toBe("clerk");
  });

  test("[CF2] what was read cannot be changed", () => {
    const config = configOf(read(fullFile));
    const clerk = config.agents.get("clerk");
    for (const frozen of [
      config,
      clerk,
      clerk?.toolReceipts,
      clerk?.builtinTools,
      config.limits.tenant,
      config.tools,
    ]) {
      expect(Object.isFrozen(frozen)).toBe(true);
    }
  });

  test("[CF2] a lone surrogate in a text is replaced", () => {
    const config = configOf(
      readWith({ agents: { assistant: { ...leastFile.agents.assistant, system_prompt: "a\uD800b😀" } } }),
    );
    expect(config.agents.get("assistant")?.systemPrompt).toBe("a\uFFFDb😀");
  });
});

const sections: readonly (readonly Step[])[] = [
  [],
  ["agents", "clerk"],
  ["agents", "clerk", "tool_receipts"],
  ["risk_profiles", "shop"],
  ["risk_profiles", "shop", "approval_route"],
  ["risk_profiles", "shop", "delegation_policy"],
  ["runtime_profiles", "patient"],
  ["runtime_profiles", "patient", "tool_filter_groups", 0],
  ["runtime_profiles", "patient", "history_pruning"],
  ["runtime_profiles", "patient", "pacing"],
  ["runtime_profiles", "patient", "cost"],
  ["providers", "embedded"],
  ["providers", "second"],
  ["providers", "second", "models", "large"],
  ["providers", "main"],
  ["tools", 1],
  ["tools", 1, "response"],
  ["tools", 2],
  ["tools", 3],
  ["tool_bundles", "orders"],
  ["mcp"],
  ["mcp", "servers", 0],
  ["mcp", "servers", 0, "auth"],
  ["mcp", "servers", 0, "tools", "read*"],
  ["mcp", "bundles", "office"],
  ["hooks", 0],
  ["hooks", 0, "callback"],
  ["hooks", 1],
  ["callbacks", 0],
  ["auth"],
  ["auth", "issuers", 0],
  ["cors"],
  ["egress"],
  ["limits"],
  ["limits", "tenant"],
  ["observability"],
];

describe("unknown keys", () => {
  test.each(sections.map((path) => [formatPath(path), path] as const))("[CF2] in %s", (_, path) => {
    expect(faultsOf(read(changeAt(fullFile, [...path, "surplus"], 1)))).toEqual([
      { path: formatPath([...path, "surplus"]), message: "unknown key" },
    ]);
  });

  test("[CF2] all of them are told at once", () => {
    const file = sections.reduce<unknown>((changed, path) => changeAt(changed, [...path, "surplus"], 1), fullFile);
    const expected = sections.map((path) => formatPath([...path, "surplus"]));
    expect([...pathsOf(faultsOf(read(file)))].toSorted()).toEqual(expected.toSorted());
  });

  test("[CF2] a key in camelCase is told how keys are written", () => {
    expect(faultsOf(read(changeAt(fullFile, ["limits", "maxQueuedTurns"], 3)))).toEqual([
      { path: "limits.maxQueuedTurns", message: "unknown key (keys are snake_case)" },
    ]);
  });
});

/** `at` is where the fault lies when that is not where the value was set. */
type Refused = readonly [path: readonly Step[], value: unknown, message: RegExp, at?: string];
const refused: readonly Refused[] = [
  [["agents"], undefined, /is required/],
  [["providers"], undefined, /is required/],
  [["agents"], [], /must be an object, not a list/],
  [["agents", "clerk", "model_provider"], undefined, /is required/],
  [["agents", "clerk", "enabled"], "yes", /must be true or false, not text/],
  [["agents", "clerk", "temperature"], "hot", /must be a number/],
  [["agents", "clerk", "builtin_tools", 0], "a*b*", /at most one `\*`/],
  [["agents", "clerk", "builtin_tools", 1], "", /not empty/],
  [["agents", "clerk", "switchable_models", 0], "large", /provider\/model/],
  [["agents", "clerk", "tool_receipts", "retention_days"], 0, /at least 1/],
  [["agents", "clerk", "tool_receipts", "scope"], "agent", /"conversation" or "turn"/],
  [["risk_profiles", "shop", "level"], "autonomous", /"full" or "supervised" or "read_only"/],
  [["risk_profiles", "shop", "approval_timeout_secs"], 0, /at least 1/],
  [["risk_profiles", "shop", "approval_timeout_secs"], 2_592_001, /at most 2592000/],
  [["risk_profiles", "shop", "approval_timeout_secs"], 1.5, /whole number/],
  [["risk_profiles", "shop", "approval_route", "approver_channel"], undefined, /is required/],
  [["risk_profiles", "shop", "approval_route", "timeout_secs"], 2_592_001, /at most/],
  [["runtime_profiles", "patient", "max_tool_iterations"], -1, /at least 0/],
  [["runtime_profiles", "patient", "max_parallel_tools"], 7, /at most 6/],
  [["runtime_profiles", "patient", "tool_timeout_secs"], 601, /at most 600/],
  [["runtime_profiles", "patient", "max_delegation_depth"], 4, /at most 3/],
  [["runtime_profiles", "patient", "cost", "daily_limit_usd"], 0, /more than 0/],
  [["runtime_profiles", "patient", "cost", "warn_at_percent"], 101, /at most 100/],
  [["runtime_profiles", "patient", "pacing", "step_timeout_secs"], 0, /at least 1/],
  [["runtime_profiles", "patient", "max_context_tokens"], Number.NaN, /must be a number|whole number/],
  [["runtime_profiles", "patient", "no_progress_secs"], Infinity, /must be a number|whole number/],
  [["providers", "second", "kind"], "mainframe", /"embedded" or "openai_compatible"/],
  [["providers", "second", "base_url"], undefined, /is required/],
  [["providers", "second", "default_model"], undefined, /is required/],
  [["providers", "second", "base_url"], "ftp://models.example.com", /https:/],
  [["providers", "second", "max_retries"], 6, /at most 5/],
  [["providers", "second", "models", "large", "input_usd_per_mtok"], -1, /at least 0/],
  [["providers", "second", "headers", "x team"], "v", /no name of a header/],
  [["providers", "second", "headers", "x-team"], "one\ntwo", /one line/],
  [["providers", "second", "headers", "x-team"], "${secret:}", /\$\{secret:NAME\}/],
  [["providers", "main", "members"], [], /at least one provider/],
  [["tools", 1, "url"], "https://{host}/refunds", /literal/],
  [["tools", 1, "method"], "DELETE", /POST, PUT and PATCH/, "tools[1].body"],
  [["tools", 1, "response", "ok"], ["ok"], /2xx|none of the forms/, "tools[1].response.ok[0]"],
  [["tools", 1, "response", "select"], "refund.id", /a path is/],
  [["tools", 1, "input_schema"], { type: "string" }, /type: "object"/],
  [["tools", 1, "name"], "1st", /a tool's name/],
  [["tools", 1, "description"], " ", /1 to 4096/],
  [["tools", 1, "description"], "x".repeat(4097), /1 to 4096/],
  [["tools", 1, "needs_approval"], false, /must be true/],
  [["tools", 2, "binding"], undefined, /is required/],
  [["tools", 3], 7, /none of the forms/],
  [["tool_bundles", "orders", "tools"], undefined, /is required/],
  [["tool_hooks", 0], { name: "x" }, /defineHook/],
  [["mcp", "deferred_loading"], "always", /"auto"/],
  [["mcp", "servers", 0, "transport"], "stdio", /cannot start processes/],
  [["mcp", "servers", 0, "transport"], "pigeon", /"http" or "sse"/],
  [["mcp", "servers", 0, "name"], "two--dashes", /runs joined by single/],
  [["mcp", "servers", 0, "name"], "a".repeat(33), /at most 32/],
  [["mcp", "servers", 0, "tool_timeout_secs"], 601, /at most 600/],
  [["hooks", 0, "name"], "Tickets", /lower-case/],
  [["hooks", 0, "tenant"], "Acme", /a tenant is/],
  [["hooks", 0, "scheme"], "pgp", /"standard_webhooks" or "github"/],
  [["hooks", 0, "secret"], ["A", "B", "C"], /none of the forms/],
  [["hooks", 1, "signature_header"], undefined, /is required/],
  [["callbacks", 0, "events"], ["turn.begun"], /"turn.finished"/, "callbacks[0].events[0]"],
  [["auth", "token_ttl_secs"], 86_401, /at most 86400/],
  [["auth", "ticket_ttl_secs"], 601, /at most 600/],
  [["auth", "issuers", 0, "algorithms"], ["none"], /"RS256"/, "auth.issuers[0].algorithms[0]"],
  [["cors", "allow_origins"], ["*"], /exact origin/, "cors.allow_origins[0]"],
  [["cors", "allow_origins"], ["https://app.example.com/"], /exact origin/, "cors.allow_origins[0]"],
  [["egress", "dev_hosts"], ["http://127.0.0.1:80"], /host:port/, "egress.dev_hosts[0]"],
  [["egress", "allow_hosts"], ["*.*.example.com"], /host name or \*\.suffix/, "egress.allow_hosts[0]"],
  [["egress", "max_fetch_bytes"], 0, /at least 1/],
  [["limits", "tenant", "max_running_turns"], 0, /at least 1/],
  [["observability", "log_level"], "trace", /"debug"/],
];

describe("wrong values", () => {
  const rows = refused.map(([path, value, message, at = formatPath(path)]) => [at, value, { path, message }] as const);
  test.each(rows)("[CF2] %s: %j", (at, value, { path, message }) => {
    const faults = faultsOf(read(changeAt(fullFile, path, value)));
    expect(faults.find((fault) => fault.path === at)?.message).toMatch(message);
  });

  test.each(["1st", "has space", "_a", "a".repeat(65), "ä"])("[CF3] %j is no name", (name) => {
    const files = [
      ["agents", name, leastFile.agents.assistant],
      ["providers", name, leastFile.providers.embedded],
      ["risk_profiles", name, {}],
      ["runtime_profiles", name, {}],
      ["tool_bundles", name, { tools: [] }],
    ] as const;
    for (const [section, key, value] of files) {
      const faults = faultsOf(read(changeAt(fullFile, [section, key], value)));
      expect(pathsOf(faults)).toEqual([formatPath([section, key])]);
      expect(faults[0]?.message).toMatch(/a name here is a letter/);
    }
  });

  test("[CF2] a key of one kind of provider is unknown to the others", () => {
    for (const key of ["api", "binding", "members"]) {
      expect(pathsOf(faultsOf(read(changeAt(fullFile, ["providers", "embedded", key], "x"))))).toContain(
        `providers.embedded.${key}`,
      );
    }
  });

  test.each([[undefined], [null], [7], ["text"], [[]], [() => ({})], [new Map()]])(
    "[CF2] %s is no config file",
    (file) => {
      expect(faultsOf(read(file)).length).toBeGreaterThan(0);
    },
  );

  test("[CF2] no message repeats the value it refuses", () => {
    const paths: readonly (readonly Step[])[] = [
      ["cors", "allow_origins"],
      ["providers", "second", "max_retries"],
      ["mcp", "elicitation"],
    ];
    for (const path of paths) {
      expect(JSON.stringify(faultsOf(read(changeAt(fullFile, path, "hush-hush"))))).not.toContain("hush-hush");
    }
  });

  test("[CF2] faults of types, of names and of secrets are told together", () => {
    const changes: readonly (readonly [readonly Step[], unknown])[] = [
      [["agents", "clerk", "enabled"], 1],
      [["agents", "clerk", "risk_profile"], "nowhere"],
      [["agents", "clerk", "surplus"], 1],
      [["providers", "second", "api_key"], "sk-0123456789abcdefghijklmn"],
      [["limits", "max_stream_secs"], 0],
    ];
    const file = changes.reduce<unknown>((changed, [path, value]) => changeAt(changed, path, value), fullFile);
    const paths = new Set(pathsOf(faultsOf(read(file))));
    for (const [path] of changes) expect(paths).toContain(formatPath(path));
  });

  test("[CF2] a key with dots in it is quoted in a path", () => {
    const file = changeAt(fullFile, ["providers", "second", "models"], { "gpt-4.1": { price: 1 } });
    expect(pathsOf(faultsOf(read(file)))).toEqual(['providers.second.models["gpt-4.1"].price']);
  });
});
