/** What a file is told of keys that do nothing in this release, and that it is told of nothing else. */
import { describe, expect, test } from "vitest";
import { inactiveKeys } from "../../src/config/checks/inactive.ts";
import { formatPath } from "../../src/config/value-paths.ts";
import { readConfig } from "../../src/config/read-config.ts";
import { builtinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { fullFile } from "./full-file.ts";
import { changeAt, environment, leastFile, pathsOf, readWith, type Step } from "./support.ts";

const told = "accepted, but this release has no ";
const declared = { description: "Does it", input_schema: { type: "object" } };
const url = "https://s.example.com/";
const { assistant } = leastFile.agents;

/** A file with every section that the rows below set a key in, all of it in use by default values or not at all. */
const plainFile = {
  agents: { assistant, other: { ...assistant, tool_receipts: {} } },
  providers: {
    embedded: { kind: "embedded" },
    main: {
      kind: "openai_compatible",
      base_url: url,
      default_model: "m",
      models: { m: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } },
    },
  },
  risk_profiles: { default: {} },
  runtime_profiles: { default: {} },
  tools: [],
  mcp: { servers: [{ name: "s", url }] },
  auth: {},
  egress: {},
  limits: { tenant: {} },
  observability: {},
};
const tellsAfter = (path: readonly Step[], value: unknown) =>
  readConfig(changeAt(plainFile, path, value), environment).warnings;

const oauth = { type: "oauth", grant: "client_credentials", client_id: "c", client_secret: "TICKETS_SECRET" };

type Row = readonly [path: readonly Step[], value: unknown, byDefault?: unknown, at?: string];
const rows: readonly Row[] = [
  [["providers", "main", "kind"], "openai", "openai_compatible"],
  [["providers", "main", "propagate_trace"], true, false],
  [["providers", "main", "models", "m", "context_tokens"], 8000],
  [["mcp", "elicitation"], "ask", "decline"],
  [["mcp", "servers", 0, "auth"], oauth, null],
  [["mcp", "servers", 0, "propagate_trace"], true, false],
  [
    ["hooks"],
    [{ name: "h", tenant: "t", scheme: "github", secret: "TICKETS_SECRET", conversation: "c", input: "i" }],
    [],
  ],
  [["callbacks"], [{ tenant: "*", url }], []],
  [["auth", "issuers"], [{ issuer: "i", audience: "a", jwks_url: url, tenant_claim: "org" }], []],
  [["auth", "token_ttl_secs"], 60, 900],
  [["egress", "resolve"], "doh", "off"],
  [["agents", "other", "tool_receipts", "retention_days"], 7, 30],
  [
    ["risk_profiles", "default", "approval_route"],
    { approver_channel: "finance" },
    { approver_channel: "http" },
    "risk_profiles.default.approval_route.approver_channel",
  ],
  [["runtime_profiles", "default", "cost", "warn_at_percent"], 50, 80],
  [["limits", "max_conversation_bytes"], 1, 1_073_741_824],
  [["limits", "event_retention_secs"], 60, 86_400],
  [["limits", "tenant", "max_streams"], 5, 1000],
  [["limits", "tenant", "requests_per_minute"], 5, 12_000],
  [["observability", "log_level"], "error", "info"],
  [["observability", "otlp_endpoint"], url, null],
  [["observability", "otlp_headers"], { "x-team": "a" }, {}],
  [["observability", "capture_content"], true, false],
  [["observability", "analytics_binding"], "METRICS", null],
];

describe.each(rows.map((row) => ({ at: row[3] ?? formatPath(row[0]), row })))("$at", ({ at, row }) => {
  const [path, value, byDefault] = row;

  test("[CF2] set to something that it cannot do, is told at its own place", () => {
    const warnings = tellsAfter(path, value).filter(({ message }) => message.startsWith(told));
    expect(pathsOf(warnings)).toEqual([at]);
  });

  test("[CF2] left at its default, written or not, is told nothing", () => {
    expect(tellsAfter(path, byDefault)).toEqual([]);
  });
});

describe("built-in tools", () => {
  test("[CF2] that are here are never told to be missing", () => {
    for (const { definition } of builtinTools) {
      const { warnings } = readWith({ agents: { assistant: { ...assistant, builtin_tools: [definition.name] } } });
      expect(warnings.filter(({ message }) => message.startsWith(told))).toEqual([]);
    }
  });
});

test("[CF2] what works is not told", () => {
  const { warnings } = readWith({
    tools: [
      { kind: "client", name: "open", ...declared },
      { kind: "http", name: "look_up", ...declared, url },
      { kind: "service", name: "order", ...declared, binding: "ORDERS" },
    ],
    providers: { embedded: { kind: "embedded", schema_strategy: "openai" } },
    tool_hooks: [{ name: "h", on: "after_tool_call", run: () => {} }],
    cors: { allow_origins: ["https://app.example.com"] },
    risk_profiles: { default: { level: "full", approval_timeout_secs: 60 } },
    runtime_profiles: {
      default: { on_busy: "reject", parallel_tools: true, redact_events: false, pacing: { step_timeout_secs: 5 } },
    },
    limits: { max_queued_turns: 4 },
    observability: { log_level: "debug" },
  });
  expect(warnings).toEqual([]);
});

test("[CF2] a section with a fault is told its fault", () => {
  const reading = readWith({ limits: { tenant: { max_streams: 0, max_callbacks: 7 } } });
  expect([reading.ok, reading.warnings]).toEqual([false, []]);
});

test("[CF2] a large file is told of each place once", () => {
  const paths = pathsOf(readConfig(fullFile, environment).warnings);
  expect(new Set(paths).size).toBe(paths.length);
  expect(inactiveKeys.every(({ what }) => what !== "")).toBe(true);
});
