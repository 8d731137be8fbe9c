/** Schema of `risk_profiles.<name>`: what an agent may do. Rules: CF2, AP1, AP10, TS3, TS18. */
import { z } from "zod";
import { filledText, patterns, section, whole } from "./fields.ts";

/** 30 days: the longest that anything may wait for a person. */
const waitSecs = whole(1, 2_592_000);

/** Built-ins that reach nothing outside the conversation (TC30). */
export const defaultAutoApprove: readonly string[] = [
  "tool_search",
  "read_result",
  "calculator",
  "current_time",
  "todo_write",
  "memory_recall",
];

const approvalRouteSchema = section({
  approver_channel: filledText.describe("Channel that is asked."),
  on_no_approver: z
    .enum(["deny", "inherit_originator"])
    .default("deny")
    .describe("What happens when that channel does not decide."),
  timeout_secs: waitSecs.default(120).describe("How long that channel has."),
});

const delegationPolicySchema = section({
  mode: z.enum(["forbidden", "allow"]).default("forbidden").describe("Whether work may be handed to other agents."),
});

export const riskProfileSchema = section({
  level: z
    .enum(["full", "supervised", "read_only"])
    .default("supervised")
    .describe(
      "`full` never asks, `supervised` asks unless auto-approved, `read_only` has only tools that change nothing.",
    ),
  auto_approve: patterns
    .default(defaultAutoApprove)
    .describe("Tools that run without asking; replaces the default list."),
  always_ask: patterns.default([]).describe("Tools that always ask, unless the level is `full`."),
  allowed_tools: patterns.default([]).describe("When not empty, only these tools exist."),
  excluded_tools: patterns.default([]).describe("Tools that do not exist, whatever else names them."),
  approval_timeout_secs: waitSecs.default(120).describe("How long an approval waits."),
  approval_route: approvalRouteSchema
    .nullable()
    .prefault(null)
    .describe("Asks another channel than the one the turn came by."),
  delegation_policy: delegationPolicySchema.prefault({}).describe("Delegation to other agents."),
  mcp_auto_admit: z.boolean().default(true).describe("A list in `allowed_tools` does not shut MCP tools out."),
  on_definition_change: z
    .enum(["disable", "allow"])
    .default("disable")
    .describe("What happens to an MCP tool whose definition changed."),
});
