/** Every default of the config file, row by row. */
import { describe, expect, test } from "vitest";
import { camelKey } from "../../src/contracts/config/camel-keys.ts";
import { configOf, leastFile, readWith } from "./support.ts";

const modelled = { default_model: "m" };
const declared = { description: "Does it", input_schema: { type: "object" } };
const hook = { name: "h", tenant: "t", secret: "TICKETS_SECRET", conversation: "c", input: "i" };

const config = configOf(
  readWith({
    agents: { a: leastFile.agents.assistant },
    risk_profiles: { r: { approval_route: { approver_channel: "finance" } }, bare: {} },
    runtime_profiles: { q: { tool_filter_groups: [{ tools: ["x"] }] }, bare: {} },
    providers: {
      ...leastFile.providers,
      compatible: { kind: "openai_compatible", base_url: "https://m.example.com/v1", models: { m: {} }, ...modelled },
      openai: { kind: "openai", ...modelled },
      anthropic: { kind: "anthropic", ...modelled },
      google: { kind: "google", ...modelled },
      workers_ai: { kind: "workers_ai", ...modelled },
      route: { kind: "route", members: ["embedded"] },
    },
    tools: [{ kind: "http", name: "get", url: "https://shop.example.com/{x}", ...declared }],
    tool_bundles: { b: { tools: ["get"] } },
    mcp: {
      servers: [
        {
          name: "s",
          url: "https://s.example.com/",
          auth: { type: "oauth", grant: "client_credentials", client_id: "c", client_secret: "OAUTH_SECRET" },
        },
      ],
      bundles: { b: { servers: ["s"] } },
    },
    hooks: [
      { scheme: "slack", ...hook },
      { scheme: "hmac_sha256", signature_header: "x-signature", ...hook },
    ],
    callbacks: [{ tenant: "*", url: "https://cb.example.com/" }],
    auth: { issuers: [{ issuer: "i", audience: "a", jwks_url: "https://id.example.com/", tenant_claim: "org" }] },
  }),
);

/** The value at a path written as in the file. */
function valueAt(path: string): unknown {
  return path.split(".").reduce<unknown>((value, step) => {
    if (value instanceof Map) return value.get(step);
    const member = Object.entries(value as object).find(([key]) => key === camelKey(step));
    return member?.[1];
  }, config);
}

type Row = readonly [path: string, value: unknown];
const under = (prefix: string, rows: readonly Row[]): readonly Row[] =>
  rows.map(([key, value]) => [`${prefix}.${key}`, value]);

const agent = under("agents.a", [
  ["enabled", true],
  ["model", null],
  ["temperature", null],
  ["system_prompt", ""],
  ["risk_profile", "default"],
  ["runtime_profile", "default"],
  ["builtin_tools", ["calculator", "current_time", "todo_write"]],
  ["tool_bundles", []],
  ["mcp_bundles", []],
  ["switchable_models", []],
  ["client_tools_from_request", false],
  ["delegates", []],
  ["delegate_same_risk_profile", true],
  ["tool_receipts.enabled", true],
  ["tool_receipts.show_in_response", false],
  ["tool_receipts.inject_system_prompt", true],
  ["tool_receipts.scope", "conversation"],
  ["tool_receipts.retention_days", 30],
  ["tool_receipts.on_fabricated", "flag"],
]);

const risk: readonly Row[] = [
  ...under("risk_profiles.bare", [
    ["level", "supervised"],
    ["auto_approve", ["tool_search", "read_result", "calculator", "current_time", "todo_write", "memory_recall"]],
    ["always_ask", []],
    ["allowed_tools", []],
    ["excluded_tools", []],
    ["approval_timeout_secs", 120],
    ["approval_route", null],
    ["delegation_policy.mode", "forbidden"],
    ["mcp_auto_admit", true],
    ["on_definition_change", "disable"],
  ]),
  ["risk_profiles.r.approval_route.on_no_approver", "deny"],
  ["risk_profiles.r.approval_route.timeout_secs", 120],
];

const runtime: readonly Row[] = [
  ...under("runtime_profiles.bare", [
    ["max_tool_iterations", 10],
    ["max_iteration_behavior", "graceful_summary"],
    ["parallel_tools", false],
    ["max_parallel_tools", 6],
    ["tool_timeout_secs", 60],
    ["client_tool_timeout_secs", 120],
    ["no_progress_secs", 300],
    ["max_tool_result_chars", 50_000],
    ["max_stored_result_bytes", 8_388_608],
    ["read_result_tool", false],
    ["dedup_enabled", true],
    ["tool_call_dedup_exempt", []],
    ["strict_tool_parsing", false],
    ["detect_protocol_without_tools", true],
    ["tool_filter_groups", []],
    ["draft_reasoning", "status"],
    ["redact_events", true],
    ["on_busy", "queue"],
    ["max_context_tokens", 32_000],
    ["max_history_messages", 50],
    ["history_pruning.enabled", false],
    ["history_pruning.max_tokens", 8192],
    ["max_delegation_depth", 3],
    ["pacing.step_timeout_secs", null],
    ["pacing.loop_detection_enabled", true],
    ["pacing.loop_detection_window_size", 20],
    ["pacing.loop_detection_max_repeats", 3],
    ["pacing.loop_detection_min_elapsed_secs", null],
    ["pacing.loop_ignore_tools", []],
    ["cost.enabled", true],
    ["cost.daily_limit_usd", 10],
    ["cost.monthly_limit_usd", 100],
    ["cost.warn_at_percent", 80],
  ]),
  ["runtime_profiles.q.tool_filter_groups.0.mode", "dynamic"],
  ["runtime_profiles.q.tool_filter_groups.0.keywords", []],
];

const providers: readonly Row[] = [
  ...under("providers.compatible", [
    ["api_key", null],
    ["headers", new Map()],
    ["max_retries", 2],
    ["stream_idle_secs", 120],
    ["schema_strategy", "openai"],
    ["native_tools", undefined],
    ["streaming_tools", undefined],
    ["propagate_trace", false],
  ]),
  ["providers.embedded.default_model", null],
  ["providers.embedded.models", new Map()],
  ["providers.embedded.schema_strategy", "conservative"],
  ["providers.openai.base_url", null],
  ["providers.openai.api", "chat"],
  ["providers.openai.schema_strategy", "openai"],
  ["providers.anthropic.schema_strategy", "anthropic"],
  ["providers.google.schema_strategy", "gemini"],
  ["providers.workers_ai.binding", "AI"],
  ["providers.workers_ai.schema_strategy", "conservative"],
  ["providers.route.default_model", null],
];

const tools: readonly Row[] = [
  ...under("tools.0", [
    ["method", "GET"],
    ["query", new Map()],
    ["headers", new Map()],
    ["body", null],
    ["response.select", null],
    ["response.text", null],
    ["response.ok", ["2xx"]],
    ["response.max_bytes", 1_048_576],
  ]),
  ["tool_bundles.b.exclude", []],
  ["tool_hooks", []],
];

const mcp: readonly Row[] = under("mcp", [
  ["enabled", true],
  ["deferred_loading", false],
  ["deferred_auto_min", 30],
  ["max_activated_tools", 64],
  ["elicitation", "decline"],
  ["bundles.b.exclude", []],
  ["servers.0.transport", "http"],
  ["servers.0.headers", new Map()],
  ["servers.0.auth.scopes", []],
  ["servers.0.tool_timeout_secs", undefined],
  ["servers.0.connect_timeout_secs", 30],
  ["servers.0.catalogue_ttl_secs", 300],
  ["servers.0.allowed_tools", []],
  ["servers.0.excluded_tools", []],
  ["servers.0.tools", new Map()],
  ["servers.0.pins", new Map()],
  ["servers.0.propagate_trace", false],
]);

const events = ["turn.finished", "turn.suspended", "approval.requested"];
const webhooks: readonly Row[] = [
  ...under("hooks.0", [
    ["secret", ["TICKETS_SECRET"]],
    ["agent", undefined],
    ["allow_events", []],
    ["approvals", "prompt"],
    ["callback", null],
    ["channel", undefined],
    ["reply_to", null],
  ]),
  ["hooks.1.signature_encoding", "hex"],
  ["hooks.1.time_header", null],
  ["callbacks.0.events", events],
  ["callbacks.0.channel", null],
  ["callbacks.0.include_results", false],
  ["callbacks.0.propagate_trace", false],
];

const access: readonly Row[] = [
  ["auth.issuers.0.algorithms", ["RS256", "ES256", "EdDSA"]],
  ["auth.issuers.0.scope_claim", "scope"],
  ["auth.issuers.0.channel_claim", null],
  ["auth.token_ttl_secs", 900],
  ["auth.ticket_ttl_secs", 60],
  ["cors.allow_origins", []],
  ["egress.allow_hosts", []],
  ["egress.deny_hosts", []],
  ["egress.own_hosts", []],
  ["egress.allow_http_hosts", []],
  ["egress.allow_ports", []],
  ["egress.allow_ip_literals", false],
  ["egress.dev_hosts", []],
  ["egress.max_fetch_bytes", 5_242_880],
  ["egress.resolve", "off"],
];

const limits: readonly Row[] = under("limits", [
  ["max_queued_turns", 16],
  ["max_streams_per_conversation", 50],
  ["max_stream_secs", 3600],
  ["sse_linger_secs", 20],
  ["delta_flush_ms", 50],
  ["max_context_bytes", 4_194_304],
  ["max_conversation_bytes", 1_073_741_824],
  ["event_retention_secs", 86_400],
  ["tenant.requests_per_minute", 12_000],
  ["tenant.turns_per_minute", 6000],
  ["tenant.max_running_turns", 100],
  ["tenant.max_queued_turns", 1000],
  ["tenant.max_streams", 1000],
  ["tenant.max_pending_approvals", 1000],
  ["tenant.max_conversations", 1_000_000],
  ["tenant.max_callbacks", 100],
]);

const observability: readonly Row[] = under("observability", [
  ["log_level", "info"],
  ["otlp_endpoint", null],
  ["otlp_headers", new Map()],
  ["capture_content", false],
  ["analytics_binding", null],
]);

describe("defaults", () => {
  test.each([
    ...agent,
    ...risk,
    ...runtime,
    ...providers,
    ...tools,
    ...mcp,
    ...webhooks,
    ...access,
    ...limits,
    ...observability,
  ])("[CF2] %s", (path, value) => {
    expect(valueAt(path)).toEqual(value);
  });

  test("[CF4] a profile named default exists with all defaults", () => {
    expect(config.riskProfiles.get("default")).toEqual(config.riskProfiles.get("bare"));
    expect(config.runtimeProfiles.get("default")).toEqual(config.runtimeProfiles.get("bare"));
  });

  test("[CF4] a profile named default in the file is kept", () => {
    const own = configOf(readWith({ risk_profiles: { default: { level: "full" } } }));
    expect(own.riskProfiles.get("default")?.level).toBe("full");
  });

  test("[RX6] 0 iterations in the file mean 10", () => {
    const read = configOf(readWith({ runtime_profiles: { default: { max_tool_iterations: 0 } } }));
    expect(read.runtimeProfiles.get("default")?.maxToolIterations).toBe(10);
  });
});
