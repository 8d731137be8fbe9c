/** A config file that uses every section, without a fault. */
import { defineConfig, defineHook, defineTool, ok } from "countersign";
import { z } from "zod";

const orderStatus = defineTool({
  name: "order_status",
  description: "Tells how far an order is",
  input: z.object({ order: z.string() }),
  risk: "low",
  readOnly: true,
  secrets: ["SHOP_TOKEN"],
  execute: ({ order }) => ok(`${order} is on its way`),
});

const trim = defineHook({
  name: "trim",
  on: "before_tool_call",
  run: ({ args }) => ({ args: { ...args, order: typeof args["order"] === "string" ? args["order"].trim() : "" } }),
});

export const fullFile = defineConfig({
  default_agent: "clerk",
  agents: {
    assistant: { model_provider: "embedded", client_tools_from_request: true },
    clerk: {
      model_provider: "main",
      risk_profile: "shop",
      runtime_profile: "patient",
      builtin_tools: ["calculator", "memory_*"],
      tool_bundles: ["orders"],
      mcp_bundles: ["office"],
      switchable_models: ["second/large"],
      delegates: ["assistant"],
      tool_receipts: { show_in_response: true },
    },
  },
  risk_profiles: {
    shop: {
      excluded_tools: ["files__delete*"],
      approval_route: { approver_channel: "finance" },
      delegation_policy: { mode: "allow" },
    },
  },
  runtime_profiles: {
    patient: {
      max_tool_iterations: 20,
      tool_filter_groups: [{ tools: ["files__*"], keywords: ["file"] }],
      pacing: { step_timeout_secs: 60 },
      history_pruning: { enabled: true },
      cost: { daily_limit_usd: 0.5 },
    },
  },
  providers: {
    embedded: { kind: "embedded" },
    second: {
      kind: "openai_compatible",
      base_url: "https://models.example.com/v1",
      default_model: "large",
      api_key: "MODELS_KEY",
      headers: { "x-team": "shop" },
      models: { large: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } },
    },
    main: { kind: "route", members: ["second", "embedded"] },
  },
  tools: [
    orderStatus,
    {
      kind: "http",
      name: "refund",
      description: "Pays an order back",
      risk: "high",
      method: "POST",
      url: "https://shop.example.com/orders/{order}/refunds",
      headers: { authorization: "Bearer ${secret:SHOP_TOKEN}" },
      body: { cents: "{cents}" },
      response: { select: "$.refund.id" },
      input_schema: { type: "object", properties: { order: { type: "string" }, cents: { type: "integer" } } },
    },
    {
      kind: "service",
      name: "stock",
      description: "Counts what is there",
      binding: "STOCK",
      input_schema: { type: "object" },
    },
    { kind: "client", name: "open_page", description: "Opens a page", input_schema: { type: "object" } },
  ],
  tool_bundles: { orders: { tools: ["order_*", "refund"], exclude: ["stock"] } },
  tool_hooks: [trim],
  mcp: {
    deferred_loading: "auto",
    servers: [
      {
        name: "files",
        url: "https://files.example.com/mcp",
        headers: { authorization: "Bearer ${secret:FILES_TOKEN}" },
        auth: { type: "oauth", grant: "client_credentials", client_id: "shop", client_secret: "OAUTH_SECRET" },
        tools: { "read*": { read_only: true } },
      },
    ],
    bundles: { office: { servers: ["files"] } },
  },
  hooks: [
    {
      name: "tickets",
      tenant: "acme",
      scheme: "github",
      secret: "TICKETS_SECRET",
      conversation: "ticket-{{ issue.number }}",
      input: "{{ issue.title }}",
      callback: { url: "https://acme.example.com/done" },
    },
    {
      name: "signed",
      tenant: "acme",
      scheme: "hmac_sha256",
      secret: ["TICKETS_SECRET", "SHOP_TOKEN"],
      signature_header: "x-signature",
      conversation: "signed-conversation",
      input: "{{ text }}",
    },
  ],
  callbacks: [{ tenant: "*", url: "https://acme.example.com/countersign" }],
  auth: {
    issuers: [
      {
        issuer: "https://id.example.com/",
        audience: "countersign",
        jwks_url: "https://id.example.com/jwks",
        tenant_claim: "org",
      },
    ],
  },
  cors: { allow_origins: ["https://app.example.com"] },
  egress: { allow_hosts: ["*.example.com"] },
  limits: { max_queued_turns: 4, tenant: { max_running_turns: 200 } },
  observability: { otlp_endpoint: "https://otel.example.com" },
});
