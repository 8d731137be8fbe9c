/** Which fields of an event are content. */
import { describe, expect, test } from "vitest";
import type { TurnEventBody } from "../../src/contracts/turn-event.ts";
import { boundField } from "../../src/observe/bound-field.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { redactEvent } from "../../src/observe/redact-event.ts";
import { PLAIN_SECRET, RECEIPT } from "./secret-samples.ts";

const redactor = createRedactor({ secrets: [PLAIN_SECRET] });
const secretText = `a ${PLAIN_SECRET}`;
const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0, exact: true, costUsd: 0 };
const call = { callId: "call_t_1", tool: "http_request", origin: "native" } as const;

const events: readonly TurnEventBody[] = [
  { type: "turn_accepted", input: secretText, entry: "http" },
  { type: "turn_started", input: secretText, entry: "http" },
  { ...call, type: "tool_call", toolOrigin: "builtin", arguments: { url: secretText, token: 1 }, index: 0 },
  {
    ...call,
    type: "tool_result",
    disposition: "succeeded",
    success: true,
    output: secretText,
    chars: 10,
    truncated: false,
    durationMs: 1,
    receipt: RECEIPT,
    data: { note: secretText },
    artifact: { path: secretText, uri: secretText, filename: secretText, title: secretText, size: 1 },
  },
  { type: "provider_retry", attempt: 1, reason: secretText },
  {
    type: "turn_finished",
    outcome: "completed",
    text: secretText,
    usage,
    iterations: 1,
    receipts: [{ callId: "call_t_1", tool: "http_request", receipt: RECEIPT }],
  },
];

describe("client events", () => {
  test.each(events)("[RE20] $type shows no secret and keeps its names, ids and receipts", (event) => {
    const redacted = redactEvent(event, redactor);
    const shown = JSON.stringify(redacted);
    expect(shown).not.toContain(PLAIN_SECRET);
    expect(shown).toContain("[REDACTED:own]");
    expect(Object.keys(redacted)).toEqual(Object.keys(event));
    expect(shown.split(RECEIPT).length).toBe(JSON.stringify(event).split(RECEIPT).length);
  });

  test("[RE22] arguments are redacted as a value", () => {
    expect(events[2] && redactEvent(events[2], redactor)).toMatchObject({
      callId: "call_t_1",
      arguments: { url: "a [REDACTED:own]", token: "[REDACTED]" },
    });
  });

  test("[SE70] a delta has been redacted before, with its neighbours", () => {
    const delta: TurnEventBody = { type: "text_delta", text: "token: 12345678", messageId: "m1" };
    expect(redactEvent(delta, redactor)).toEqual(delta);
  });

  test("[RE28] the reason of a retry has at most 200 code points, redacted before it is cut", () => {
    const reason = `${"😀".repeat(190)} ${PLAIN_SECRET}`;
    const redacted = redactEvent({ type: "provider_retry", attempt: 1, reason }, redactor);
    expect([...redacted.reason]).toHaveLength(200);
    expect(redacted.reason.endsWith(" [REDACTE…")).toBe(true);
  });
});

test("[RE28] fields have at most 4096 code points and split none", () => {
  expect(boundField("😀".repeat(4096))).toBe("😀".repeat(4096));
  expect(boundField("😀".repeat(4097))).toBe(`${"😀".repeat(4095)}…`);
  expect(boundField("abc", 2)).toBe("a…");
});
