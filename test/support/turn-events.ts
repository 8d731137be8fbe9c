/** Builds events as the wire has them, for tests of what shows them. */
import { turnEventSchemas, type WireTurnEvent } from "../../src/wire/event-schemas.ts";

type EventType = WireTurnEvent["type"];

const defaults = {
  turn_accepted: { input: "hello", entry: "http" },
  turn_started: { input: "hello", entry: "http" },
  text_delta: { text: "Hello.", message_id: "m1" },
  reasoning_delta: { message_id: "m1" },
  tool_call: {
    call_id: "c1",
    tool: "calculator",
    tool_origin: "builtin",
    arguments: { expression: "1+1" },
    origin: "native",
    index: 0,
  },
  tool_result: {
    call_id: "c1",
    tool: "calculator",
    origin: "native",
    disposition: "succeeded",
    success: true,
    output: "2",
    chars: 1,
    truncated: false,
    duration_ms: 3,
  },
  approval_requested: {
    approval_id: "a1",
    call_id: "c1",
    tool: "calculator",
    tool_origin: "builtin",
    arguments: { expression: "1+1" },
    arguments_summary: "expression: 1+1",
    risk: "medium",
    expires_at: "2026-12-01T13:00:00.000Z",
  },
  approval_decided: {
    approval_id: "a1",
    call_id: "c1",
    tool: "calculator",
    decision: "approve",
    provenance: "operator",
    decided_by: "key:dev",
  },
  client_tool_requested: { call_id: "c1", tool: "calculator", tool_origin: "client", arguments: {} },
  turn_suspended: { reason: "approval", approval_ids: ["a1"], call_ids: ["c1"] },
  turn_resumed: { reason: "approval" },
  steering: { text: "and in euros" },
  model_switched: { from: "small", to: "large" },
  plan: { todos: [] },
  loop_warning: { level: "warn", pattern: "exact_repeat", tool: "calculator", count: 3 },
  provider_retry: { attempt: 1, reason: "refused (503)" },
  history_trimmed: { dropped_messages: 2, kept_turns: 1, reason: "context_budget" },
  usage: { ...tokens(), finish_reason: "stop" },
  turn_recovered: { attempt: 2, calls: [] },
  message_reset: { message_id: "m1" },
  receipt_check: { quoted: 1, fabricated: [], claims: [] },
  turn_finished: { outcome: "completed", text: "", usage: tokens(), iterations: 1, receipts: [] },
} as const satisfies Record<EventType, object>;

function tokens() {
  return { input_tokens: 10, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0, exact: true, cost_usd: 0 };
}

/** An event of the type with the given fields over usual ones; throws when the wire would not have it so. */
export function createEvent(type: EventType, fields: object = {}, seq = 1): WireTurnEvent {
  return turnEventSchemas[type].parse({
    type,
    seq,
    at: "2026-12-01T12:00:00.000Z",
    conversation: "conversation-0001",
    turn: "trn_1",
    agent: "assistant",
    channel: "http",
    ...defaults[type],
    ...fields,
  });
}
