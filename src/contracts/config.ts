/** The config file: its schema as a whole, and what it becomes once read. Rules: CF1–CF4, CF7. */
import type { z } from "zod";
import type { AgentProfile, RiskProfile, RuntimeProfile } from "./agent-profile.ts";
import {
  type AuthSettings,
  authSchema,
  type CorsSettings,
  corsSchema,
  type EgressSettings,
  egressSchema,
} from "./config/access.ts";
import { agentSchema } from "./config/agent.ts";
import { alias, listOf, section, userMap } from "./config/fields.ts";
import { limitsSchema } from "./config/limits.ts";
import { type McpSettings, mcpSchema } from "./config/mcp.ts";
import { observabilitySchema } from "./config/observability.ts";
import { type ProviderSettings, providerSchema } from "./config/providers.ts";
import { riskProfileSchema } from "./config/risk-profile.ts";
import { runtimeProfileSchema } from "./config/runtime-profile.ts";
import type { ToolHook } from "./config/tool-hook.ts";
import { type ConfiguredTool, type ToolBundle, toolBundleSchema, toolHookSchema, toolSchema } from "./config/tools.ts";
import { type CallbackSettings, callbackSchema, hookSchema, type InboundHook } from "./config/webhooks.ts";

export const configFileSchema = section({
  default_agent: alias.optional().describe("Who answers when nobody is named; the first enabled agent by default."),
  agents: userMap(alias, agentSchema).describe("Who answers."),
  risk_profiles: userMap(alias, riskProfileSchema).prefault({}).describe("What an agent may do."),
  runtime_profiles: userMap(alias, runtimeProfileSchema).prefault({}).describe("How an agent runs."),
  providers: userMap(alias, providerSchema).describe("Where models are."),
  tools: listOf(toolSchema).prefault([]).describe("Tools, in order: `defineTool` values, or entries with a `kind`."),
  tool_bundles: userMap(alias, toolBundleSchema).prefault({}).describe("Tools under a name that agents use."),
  tool_hooks: listOf(toolHookSchema).default([]).describe("`defineHook` values: code around tool calls."),
  mcp: mcpSchema.prefault({}).describe("Tools of MCP servers."),
  hooks: listOf(hookSchema).prefault([]).describe("Webhooks that start turns."),
  callbacks: listOf(callbackSchema).prefault([]).describe("Webhooks that are told of turns."),
  auth: authSchema.prefault({}).describe("Who comes in."),
  cors: corsSchema.prefault({}).describe("Which pages may call."),
  egress: egressSchema.prefault({}).describe("What goes out."),
  limits: limitsSchema.prefault({}).describe("Sizes, counts, times."),
  observability: observabilitySchema.prefault({}).describe("Logs and traces."),
});

/** What a config file may hold: snake_case, nearly everything optional. */
export type ConfigFile = z.input<typeof configFileSchema>;

export type LimitSettings = z.output<typeof limitsSchema>;
export type ObservabilitySettings = z.output<typeof observabilitySchema>;

/** The whole configuration: camelCase, every default filled in, maps and lists in file order. */
export interface CountersignConfig {
  /** An alias of `agents` that is enabled. */
  readonly defaultAgent: string;
  readonly agents: ReadonlyMap<string, AgentProfile>;
  /** Both kinds of profile always have one named `default`. */
  readonly riskProfiles: ReadonlyMap<string, RiskProfile>;
  readonly runtimeProfiles: ReadonlyMap<string, RuntimeProfile>;
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  readonly tools: readonly ConfiguredTool[];
  readonly toolBundles: ReadonlyMap<string, ToolBundle>;
  readonly toolHooks: readonly ToolHook[];
  readonly mcp: McpSettings;
  readonly hooks: readonly InboundHook[];
  readonly callbacks: readonly CallbackSettings[];
  readonly auth: AuthSettings;
  readonly cors: CorsSettings;
  readonly egress: EgressSettings;
  readonly limits: LimitSettings;
  readonly observability: ObservabilitySettings;
}
