/** The wire shape of every event type, for whoever reads a stream. Rules: events of `http.md`, EV4, EV10. */
import { z } from "zod";
import { type ApprovalProvenance, approvalDecisions } from "../contracts/approval.ts";
import { dispositions } from "../contracts/call.ts";
import { claimKinds } from "../contracts/text-check.ts";
import type { TurnEventType } from "../contracts/turn-event.ts";

const count = z.int().nonnegative();
const json = z.json();
const disposition = z.enum(dispositions);
const entry = z.enum(["http", "webhook", "steering"]);
const origin = z.enum(["native", "text", "provider"]);
const toolOrigin = z.enum(["builtin", "code", "http", "service", "client", "mcp", "delegate"]);

const usage = {
  input_tokens: count,
  output_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  exact: z.boolean(),
  cost_usd: z.number().nonnegative(),
};
const artifact = z.object({
  path: z.string(),
  uri: z.string().exactOptional(),
  filename: z.string().exactOptional(),
  title: z.string().exactOptional(),
  mime: z.string().exactOptional(),
  size: count,
});
const decision = z.enum(approvalDecisions);
const provenances = [
  "operator",
  "policy",
  "expired",
  "unavailable",
  "unreachable",
  "cancelled",
  "superseded",
] as const satisfies readonly ApprovalProvenance[];
const claim = z.object({
  kind: z.enum(claimKinds),
  text: z.string(),
  start: count,
  end: count,
  receipts: z.array(z.string()),
  confidence: z.number().min(0).max(1),
});
const receiptCheck = { quoted: count, fabricated: z.array(z.string()), claims: z.array(claim) };
const suspension = z.enum(["approval", "client_tool"]);
const time = z.iso.datetime({ precision: 3 });
const call = { call_id: z.string(), tool: z.string() };

/** Every event begins with these; readers ignore fields that they do not know. */
const envelope = z.object({
  seq: z.int().positive(),
  at: time,
  conversation: z.string(),
  turn: z.string(),
  agent: z.string(),
  channel: z.string(),
  iteration: count.exactOptional(),
  parent_agent: z.string().exactOptional(),
  parent_calls: z.array(z.string()).exactOptional(),
});

export const turnEventSchemas = {
  turn_accepted: envelope.extend({ type: z.literal("turn_accepted"), input: z.string(), entry }),
  turn_started: envelope.extend({ type: z.literal("turn_started"), input: z.string(), entry }),
  text_delta: envelope.extend({ type: z.literal("text_delta"), text: z.string(), message_id: z.string() }),
  reasoning_delta: envelope.extend({
    type: z.literal("reasoning_delta"),
    text: z.string().exactOptional(),
    message_id: z.string(),
  }),
  tool_call: envelope.extend({
    type: z.literal("tool_call"),
    ...call,
    provider_call_id: z.string().exactOptional(),
    tool_origin: toolOrigin.nullable(),
    arguments: json,
    origin,
    index: count,
  }),
  tool_result: envelope.extend({
    type: z.literal("tool_result"),
    ...call,
    origin,
    disposition: disposition.nullable(),
    success: z.boolean(),
    output: z.string(),
    chars: count,
    truncated: z.boolean(),
    duration_ms: z.number().nonnegative(),
    receipt: z.string().exactOptional(),
    data: json.exactOptional(),
    output_schema_mismatch: z.literal(true).exactOptional(),
    artifact: artifact.exactOptional(),
  }),
  approval_requested: envelope.extend({
    type: z.literal("approval_requested"),
    approval_id: z.string(),
    ...call,
    tool_origin: toolOrigin,
    arguments: json,
    arguments_summary: z.string(),
    risk: z.enum(["low", "medium", "high"]),
    expires_at: time,
  }),
  approval_decided: envelope.extend({
    type: z.literal("approval_decided"),
    approval_id: z.string(),
    ...call,
    decision: decision.nullable(),
    provenance: z.enum(provenances),
    decided_by: z.string().exactOptional(),
  }),
  client_tool_requested: envelope.extend({
    type: z.literal("client_tool_requested"),
    ...call,
    tool_origin: toolOrigin,
    arguments: json,
  }),
  turn_suspended: envelope.extend({
    type: z.literal("turn_suspended"),
    reason: suspension,
    approval_ids: z.array(z.string()),
    call_ids: z.array(z.string()),
  }),
  turn_resumed: envelope.extend({ type: z.literal("turn_resumed"), reason: suspension }),
  steering: envelope.extend({ type: z.literal("steering"), text: z.string() }),
  model_switched: envelope.extend({ type: z.literal("model_switched"), from: z.string(), to: z.string() }),
  plan: envelope.extend({ type: z.literal("plan"), todos: json }),
  loop_warning: envelope.extend({
    type: z.literal("loop_warning"),
    level: z.enum(["warn", "block", "break"]),
    pattern: z.enum(["exact_repeat", "ping_pong", "no_progress", "identical_output"]),
    tool: z.string(),
    count,
  }),
  provider_retry: envelope.extend({ type: z.literal("provider_retry"), attempt: count, reason: z.string() }),
  history_trimmed: envelope.extend({
    type: z.literal("history_trimmed"),
    dropped_messages: count,
    kept_turns: count,
    reason: z.enum(["context_budget", "message_limit", "overflow"]),
  }),
  usage: envelope.extend({ type: z.literal("usage"), ...usage, finish_reason: z.string() }),
  turn_recovered: envelope.extend({
    type: z.literal("turn_recovered"),
    attempt: count,
    calls: z.array(z.object({ call_id: z.string(), disposition })),
  }),
  message_reset: envelope.extend({ type: z.literal("message_reset"), message_id: z.string() }),
  receipt_check: envelope.extend({ type: z.literal("receipt_check"), ...receiptCheck }),
  turn_finished: envelope.extend({
    type: z.literal("turn_finished"),
    outcome: z.enum(["completed", "cancelled", "failed", "stopped", "capped"]),
    reason: z.string().exactOptional(),
    finish_reason: z.string().exactOptional(),
    text: z.string(),
    usage: z.object(usage),
    iterations: count,
    receipts: z.array(z.object({ ...call, receipt: z.string() })),
    receipt_check: z.object(receiptCheck).exactOptional(),
    head_hash: z.string().exactOptional(),
  }),
} as const satisfies Record<TurnEventType, z.ZodObject>;

export type WireTurnEvent = z.infer<(typeof turnEventSchemas)[TurnEventType]>;

/** Whether an event of this type is one that this version knows; readers skip the others. */
export const isTurnEventType = (type: string): type is TurnEventType => Object.hasOwn(turnEventSchemas, type);
