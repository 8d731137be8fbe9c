/** Schema of `agents.<alias>`, receipts included. Rules: CF2, RG3, VW5. */
import { z } from "zod";
import { alias, filledText, listOf, patterns, section, text } from "./fields.ts";

export const defaultBuiltinTools: readonly string[] = ["calculator", "current_time", "todo_write"];

export const toolReceiptsSchema = section({
  enabled: z.boolean().default(true).describe("Sign each execution that succeeded."),
  show_in_response: z.boolean().default(false).describe("End the final text with the list of its receipts."),
  inject_system_prompt: z
    .boolean()
    .default(true)
    .describe("Tell the model what receipts are and to quote them as they stand."),
  scope: z.enum(["conversation", "turn"]).default("conversation").describe("Whose key signs."),
  retention_days: z.int().min(1).default(30).describe("Days for which receipts and raw results stay verifiable."),
  on_fabricated: z
    .enum(["flag", "strip", "fail"])
    .default("flag")
    .describe("What an invented receipt in the final text leads to."),
});

export const agentSchema = section({
  enabled: z.boolean().default(true).describe("A disabled agent takes no turn and cannot be delegated to."),
  model_provider: alias.describe("Name of one of `providers`."),
  model: filledText.nullable().default(null).describe("Model id; null takes the provider's default."),
  temperature: z.number().min(0).nullable().default(null).describe("Sampling temperature; null sends none."),
  system_prompt: text.default("").describe("Text the model reads first."),
  risk_profile: alias.default("default").describe("Name of the risk profile that governs it."),
  runtime_profile: alias.default("default").describe("Name of the runtime profile that tunes it."),
  builtin_tools: patterns.default(defaultBuiltinTools).describe("Built-in tools it is offered."),
  tool_bundles: listOf(alias).default([]).describe("Bundles of configured tools; empty grants every configured tool."),
  mcp_bundles: listOf(alias).default([]).describe("Bundles of MCP servers; empty grants none."),
  switchable_models: listOf(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}\/\S+$/, { error: "must be written provider/model" }),
  )
    .default([])
    .describe("What `model_switch` may set, each as provider/model."),
  client_tools_from_request: z.boolean().default(false).describe("A request may bring tools that its sender runs."),
  delegates: listOf(alias).default([]).describe("Further agents it may hand work to."),
  delegate_same_risk_profile: z
    .boolean()
    .default(true)
    .describe("Agents that share its risk profile can be handed work too."),
  tool_receipts: toolReceiptsSchema.prefault({}).describe("Signing of tool executions."),
});
