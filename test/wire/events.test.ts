/** Events on the wire: one line of JSON in wire names that fits its schema and loses nothing. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approvalDecisions } from "../../src/contracts/approval.ts";
import { claimKinds } from "../../src/contracts/text-check.ts";
import { dispositions } from "../../src/contracts/call.ts";
import type { TurnEvent, TurnEventType } from "../../src/contracts/turn-event.ts";
import { isTurnEventType, turnEventSchemas } from "../../src/wire/event-schemas.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";

const text = fc.string({ unit: "grapheme" });
const id = fc.stringMatching(/^[a-z]{3}_[A-Za-z0-9]{1,8}$/);
const data = fc
  .jsonValue({ maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .map((value) => value as never);
const disposition = fc.constantFrom(...dispositions);
const origin = fc.constantFrom("native" as const, "text" as const, "provider" as const);
const toolOrigin = fc.constantFrom("builtin" as const, "mcp" as const, null);
const entry = fc.constantFrom("http" as const, "webhook" as const, "steering" as const);
const usage = {
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cachedTokens: fc.nat(),
  reasoningTokens: fc.nat(),
  exact: fc.boolean(),
  costUsd: fc.double({ min: 0, max: 1e3, noNaN: true }).map(Math.abs),
};
const required = { requiredKeys: ["type"] } as const;
const artifact = fc.record(
  { path: text, size: fc.nat(), filename: text, mime: text },
  { requiredKeys: ["path", "size"] },
);

const suspension = fc.constantFrom("approval" as const, "client_tool" as const);

/** A body of each type, with optional members sometimes absent. */
const claim = fc.record({
  kind: fc.constantFrom(...claimKinds),
  text,
  start: fc.nat(),
  end: fc.nat(),
  receipts: fc.array(text),
  confidence: fc.constantFrom(0, 0.75, 1),
});
const check = { quoted: fc.nat(), fabricated: fc.array(text), claims: fc.array(claim) };

const bodies = {
  turn_accepted: fc.record({ type: fc.constant("turn_accepted" as const), input: text, entry }),
  turn_started: fc.record({ type: fc.constant("turn_started" as const), input: text, entry }),
  text_delta: fc.record({ type: fc.constant("text_delta" as const), text, messageId: id }),
  reasoning_delta: fc.record(
    { type: fc.constant("reasoning_delta" as const), text, messageId: id },
    { requiredKeys: [...required.requiredKeys, "messageId"] },
  ),
  tool_call: fc.record(
    {
      type: fc.constant("tool_call" as const),
      callId: id,
      tool: text,
      providerCallId: text,
      toolOrigin,
      arguments: data,
      origin,
      index: fc.nat(),
    },
    { requiredKeys: ["type", "callId", "tool", "toolOrigin", "arguments", "origin", "index"] },
  ),
  tool_result: fc.record(
    {
      type: fc.constant("tool_result" as const),
      callId: id,
      tool: text,
      origin,
      disposition: fc.option(disposition),
      success: fc.boolean(),
      output: text,
      chars: fc.nat(),
      truncated: fc.boolean(),
      durationMs: fc.nat(),
      receipt: text,
      data,
      artifact,
    },
    {
      requiredKeys: [
        "type",
        "callId",
        "tool",
        "origin",
        "disposition",
        "success",
        "output",
        "chars",
        "truncated",
        "durationMs",
      ],
    },
  ),
  approval_requested: fc.record({
    type: fc.constant("approval_requested" as const),
    approvalId: id,
    callId: id,
    tool: text,
    toolOrigin: fc.constantFrom("mcp" as const, "client" as const),
    arguments: data,
    argumentsSummary: text,
    risk: fc.constantFrom("low" as const, "medium" as const, "high" as const),
    expiresAt: fc.nat(),
  }),
  approval_decided: fc.record(
    {
      type: fc.constant("approval_decided" as const),
      approvalId: id,
      callId: id,
      tool: text,
      decision: fc.option(fc.constantFrom(...approvalDecisions)),
      provenance: fc.constantFrom("operator" as const, "unreachable" as const, "superseded" as const),
      decidedBy: text,
    },
    { requiredKeys: ["type", "approvalId", "callId", "tool", "decision", "provenance"] },
  ),
  client_tool_requested: fc.record({
    type: fc.constant("client_tool_requested" as const),
    callId: id,
    tool: text,
    toolOrigin: fc.constant("client" as const),
    arguments: data,
  }),
  turn_suspended: fc.record({
    type: fc.constant("turn_suspended" as const),
    reason: suspension,
    approvalIds: fc.array(id),
    callIds: fc.array(id),
  }),
  turn_resumed: fc.record({ type: fc.constant("turn_resumed" as const), reason: suspension }),
  steering: fc.record({ type: fc.constant("steering" as const), text }),
  model_switched: fc.record({ type: fc.constant("model_switched" as const), from: text, to: text }),
  plan: fc.record({ type: fc.constant("plan" as const), todos: data }),
  loop_warning: fc.record({
    type: fc.constant("loop_warning" as const),
    level: fc.constantFrom("warn" as const, "block" as const, "break" as const),
    pattern: fc.constantFrom("exact_repeat" as const, "ping_pong" as const, "identical_output" as const),
    tool: text,
    count: fc.nat(),
  }),
  provider_retry: fc.record({ type: fc.constant("provider_retry" as const), attempt: fc.nat(), reason: text }),
  history_trimmed: fc.record({
    type: fc.constant("history_trimmed" as const),
    droppedMessages: fc.nat(),
    keptTurns: fc.nat(),
    reason: fc.constantFrom("context_budget" as const, "message_limit" as const, "overflow" as const),
  }),
  usage: fc.record({ type: fc.constant("usage" as const), finishReason: text, ...usage }),
  turn_recovered: fc.record({
    type: fc.constant("turn_recovered" as const),
    attempt: fc.nat(),
    calls: fc.array(fc.record({ callId: id, disposition })),
  }),
  message_reset: fc.record({ type: fc.constant("message_reset" as const), messageId: id }),
  receipt_check: fc.record({ type: fc.constant("receipt_check" as const), ...check }),
  turn_finished: fc.record(
    {
      type: fc.constant("turn_finished" as const),
      outcome: fc.constantFrom("completed" as const, "capped" as const),
      reason: fc.constantFrom("max_tool_iterations" as const, "cancel" as const),
      finishReason: text,
      text,
      usage: fc.record(usage),
      iterations: fc.nat(),
      receipts: fc.array(fc.record({ callId: id, tool: text, receipt: text })),
      receiptCheck: fc.record(check),
      headHash: text,
    },
    { requiredKeys: ["type", "outcome", "text", "usage", "iterations", "receipts"] },
  ),
} satisfies Record<TurnEventType, fc.Arbitrary<object>>;

const context = fc.record(
  { turn: id, agent: id, channel: id, iteration: fc.nat(), parentAgent: id, parentCalls: fc.array(id) },
  { requiredKeys: ["turn", "agent", "channel"] },
);
const event: fc.Arbitrary<TurnEvent> = fc
  .tuple(context, fc.oneof(...Object.values(bodies)))
  .map(([around, body]) => ({ ...around, ...body }) as TurnEvent);

function decodeMember(name: string, member: unknown): unknown {
  if (name === "expires_at") return Date.parse(String(member));
  return name === "arguments" || name === "data" || name === "todos" ? member : decodeNames(member);
}

/** The way back, written apart from the encoder: wire names to camelCase, user data as it is. */
function decodeNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name.replace(/_([a-z])/g, (_mark, letter: string) => letter.toUpperCase()),
      decodeMember(name, member),
    ]),
  );
}

const place = { seq: 41, at: Date.UTC(2026, 10, 1, 9, 30, 0, 5), conversation: "conv_8Zc1f0aQ2mLk7Rt5XwBn4D" };

describe("encodeTurnEvent", () => {
  test("[EV1][EV4] any event is one line, fits the schema of its type and decodes to itself", () => {
    fc.assert(
      fc.property(event, fc.nat(), (original, before) => {
        const line = encodeTurnEvent(original, { ...place, seq: before + 1 });
        expect(line).not.toMatch(/[\r\n\u2028\u2029]/);
        const wire: Record<string, unknown> = JSON.parse(line);
        expect(turnEventSchemas[original.type].parse(wire)).toEqual(wire);
        const { seq, at, conversation, ...fields } = wire;
        expect({ seq, at, conversation }).toEqual({
          seq: before + 1,
          at: "2026-11-01T09:30:00.005Z",
          conversation: place.conversation,
        });
        expect(decodeNames(fields)).toEqual(JSON.parse(JSON.stringify(original)));
      }),
      { numRuns: 500 },
    );
  });

  test("[EV10] the envelope comes first, in one order, with iteration only where there is one", () => {
    const around = { turn: "trn_7", agent: "assistant", channel: "http" };
    const delta = { type: "text_delta", text: "Hi", messageId: "msg_1" } as const;
    expect(encodeTurnEvent({ ...delta, ...around, iteration: 0 }, place)).toBe(
      '{"type":"text_delta","seq":41,"at":"2026-11-01T09:30:00.005Z","conversation":"conv_8Zc1f0aQ2mLk7Rt5XwBn4D",' +
        '"turn":"trn_7","agent":"assistant","channel":"http","iteration":0,"text":"Hi","message_id":"msg_1"}',
    );
    expect(encodeTurnEvent({ ...delta, ...around }, place)).not.toContain("iteration");
  });

  test("[EV10] an event of a delegate's frame says whose and through which calls", () => {
    const line = encodeTurnEvent(
      {
        type: "turn_resumed",
        reason: "approval",
        turn: "trn_7",
        agent: "helper",
        channel: "http",
        parentAgent: "assistant",
        parentCalls: ["call_7_0"],
      },
      place,
    );
    expect(JSON.parse(line)).toMatchObject({ parent_agent: "assistant", parent_calls: ["call_7_0"] });
  });

  test("[AP12] a deadline is ISO 8601 on the wire", () => {
    const request = {
      approvalId: "apr_1",
      callId: "call_7_0",
      tool: "mail",
      toolOrigin: "http",
      risk: "high",
    } as const;
    const line = encodeTurnEvent(
      {
        type: "approval_requested",
        turn: "trn_7",
        agent: "a",
        channel: "http",
        ...request,
        arguments: { expiresAt: 5 },
        argumentsSummary: "expiresAt: 5",
        expiresAt: place.at,
      },
      place,
    );
    expect(JSON.parse(line)).toMatchObject({ expires_at: "2026-11-01T09:30:00.005Z", arguments: { expiresAt: 5 } });
  });

  test("[EV4] names inside arguments, data and what they nest stay the user's own", () => {
    const args = { fileName: "a", nestedMember: [{ callId: 1 }], __proto__x: 2 };
    const line = encodeTurnEvent(
      {
        type: "tool_call",
        turn: "trn_7",
        agent: "a",
        channel: "http",
        callId: "call_7_0",
        tool: "read",
        toolOrigin: "builtin",
        arguments: args,
        origin: "native",
        index: 0,
      },
      place,
    );
    expect(JSON.parse(line).arguments).toEqual(args);
  });

  test("a type that this version does not know is told apart, also one named like a member of every object", () => {
    expect(isTurnEventType("tool_result")).toBe(true);
    expect(isTurnEventType("tool_progress")).toBe(false);
    expect(isTurnEventType("constructor")).toBe(false);
  });
});
