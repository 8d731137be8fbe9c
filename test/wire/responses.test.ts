/** Response documents and problems, member by member. */
import { describe, expect, test } from "vitest";
import { problemStatus } from "../../src/contracts/errors.ts";
import type { SignedReceipt } from "../../src/contracts/receipt.ts";
import type { TurnRecord } from "../../src/contracts/turn.ts";
import { encodeProblem, problemHeaders } from "../../src/wire/problem.ts";
import {
  encodeAgents,
  encodeConversation,
  encodeEventPage,
  encodeReceiptPage,
  encodeTools,
  encodeTurn,
  encodeTurnPage,
  encodeVerdict,
} from "../../src/wire/responses.ts";

const conversation = "conv_8Zc1f0aQ2mLk7Rt5XwBn4D";
const turn: TurnRecord = {
  n: 7,
  id: "trn_7",
  agent: "assistant",
  state: "completed",
  entry: "http",
  channel: "http",
  subject: "key:dev",
  narrowing: { maxToolIterations: 2 },
  metadata: { userKey: { innerKey: 1 } },
  attempt: 0,
  acceptedAt: 0,
  finishedAt: 1500,
};
const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0, exact: true, costUsd: 0.5 };
const receipt: SignedReceipt = {
  token: `zc-receipt-1774608496-${"A".repeat(43)}`,
  body: {
    v: 1,
    kid: "k",
    tenant: "dev",
    conversation,
    turn: "trn_7",
    call: "call_7_0",
    seq: 3,
    tool: "clock",
    tool_def: "d",
    args: "a",
    result: "r",
    result_chars: 1,
    shown: "s",
    at: 1774608496,
    prev: "genesis",
  },
};

describe("documents", () => {
  test("a turn with its outcome is flat, in wire names, with metadata untouched", () => {
    const summary = {
      outcome: "completed",
      finishReason: "stop",
      text: "Done.",
      usage,
      iterations: 2,
      receipts: [{ callId: "call_7_0", tool: "clock", receipt: receipt.token }],
    } as const;
    expect(encodeTurn(conversation, { turn, summary })).toEqual({
      turn: "trn_7",
      conversation,
      n: 7,
      agent: "assistant",
      state: "completed",
      entry: "http",
      channel: "http",
      subject: "key:dev",
      narrowing: { max_tool_iterations: 2 },
      metadata: { userKey: { innerKey: 1 } },
      attempt: 0,
      accepted_at: "1970-01-01T00:00:00.000Z",
      finished_at: "1970-01-01T00:00:01.500Z",
      outcome: "completed",
      finish_reason: "stop",
      text: "Done.",
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cached_tokens: 0,
        reasoning_tokens: 0,
        exact: true,
        cost_usd: 0.5,
      },
      iterations: 2,
      receipts: [{ call_id: "call_7_0", tool: "clock", receipt: receipt.token }],
      links: {
        self: `/v1/conversations/${conversation}/turns/trn_7`,
        events: `/v1/conversations/${conversation}/events?turn=trn_7`,
      },
    });
  });

  test("a page of turns says where the next one begins, and null where there is none", () => {
    expect(encodeTurnPage(conversation, [{ turn }])).toMatchObject({ turns: [{ turn: "trn_7" }], next_before: 7 });
    expect(encodeTurnPage(conversation, [{ turn: { ...turn, n: 1 } }])).toMatchObject({ next_before: null });
    expect(encodeTurnPage(conversation, [])).toEqual({ turns: [], next_before: null });
  });

  test("[SE70] a page of events holds the log's own lines, byte for byte", () => {
    const lines = [String.raw`{"type":"a","x":"\u2028"}`, '{ "type":"b"}'];
    const page = encodeEventPage({ events: lines, nextAfter: 9, live: true });
    expect(page).toBe(`{"events":[${lines.join(",")}],"next_after":9,"live":true}`);
    expect(encodeEventPage({ events: [], nextAfter: 0, live: false })).toBe(
      '{"events":[],"next_after":0,"live":false}',
    );
  });

  test("a conversation links to what it has", () => {
    expect(encodeConversation({ id: conversation, agent: "a", createdAt: 0, metadata: { aB: 1 } })).toEqual({
      conversation,
      agent: "a",
      metadata: { aB: 1 },
      created_at: "1970-01-01T00:00:00.000Z",
      links: {
        self: `/v1/conversations/${conversation}`,
        turns: `/v1/conversations/${conversation}/turns`,
        events: `/v1/conversations/${conversation}/events`,
        receipts: `/v1/conversations/${conversation}/receipts`,
      },
    });
  });

  test("[RE9] a receipt shows its signed body as signed, with a link to the raw result", () => {
    const page = encodeReceiptPage(conversation, [{ receipt, callId: "call_7_0", n: 3 }], { after: 0, limit: 1 });
    expect(page).toEqual({
      receipts: [
        {
          receipt: receipt.token,
          call_id: "call_7_0",
          body: receipt.body,
          links: {
            self: `/v1/conversations/${conversation}/receipts/${receipt.token}`,
            result: `/v1/conversations/${conversation}/calls/call_7_0/result`,
          },
        },
      ],
      next_after: 3,
      more: true,
    });
    expect(encodeReceiptPage(conversation, [{ receipt, callId: "c", n: 12 }], { after: 0, limit: 2 })).toMatchObject({
      next_after: 12,
      more: false,
    });
    expect(encodeReceiptPage(conversation, [], { after: 5, limit: 2 })).toEqual({
      receipts: [],
      next_after: 5,
      more: false,
    });
  });

  test("[RE7] a verdict says its word and what belongs to it", () => {
    const claim = { receipt: receipt.token };
    expect(encodeVerdict({ verdict: "mismatch", fields: ["result"] }, { ...claim, result: "" })).toEqual({
      verdict: "mismatch",
      fields: ["result"],
      checked: ["result"],
    });
    const valid = { verdict: "valid", body: receipt.body } as const;
    expect(encodeVerdict(valid, claim)).toEqual({ ...valid, checked: [] });
  });

  test("[RE9] a verdict says what of a claim was compared, which is nothing where no receipt was reached", () => {
    const claim = { receipt: receipt.token, result: "84", arguments: null, tool: "calculator" };
    const all = ["tool", "arguments", "result"];
    expect(encodeVerdict({ verdict: "valid", body: receipt.body }, claim)).toMatchObject({ checked: all });
    expect(encodeVerdict({ verdict: "mismatch", fields: ["tool"] }, claim)).toMatchObject({ checked: all });
    expect(encodeVerdict({ verdict: "mismatch", fields: ["receipt"] }, claim)).toMatchObject({ checked: [] });
    for (const verdict of ["unknown_receipt", "unverifiable", "malformed"] as const) {
      expect(encodeVerdict({ verdict }, claim)).toEqual({ verdict, checked: [] });
    }
  });

  test("disabled agents are not listed", () => {
    const agents = [
      { alias: "assistant", enabled: true },
      { alias: "off", enabled: false },
    ];
    expect(encodeAgents(agents, "assistant")).toEqual({ agents: [{ agent: "assistant", default: true }] });
  });

  test("[TC16] a tool shows definition, origin, flags and standing; its schema's own names stay", () => {
    const inputSchema = { type: "object", properties: { fileName: { type: "string" } } };
    const document = encodeTools("assistant", [
      {
        tool: {
          definition: { name: "read", description: "Reads", inputSchema },
          definitionHash: "h",
          origin: "builtin",
          provenance: "native",
          risk: "low",
          readOnly: true,
          idempotent: false,
          client: false,
        },
        prompts: true,
        visible: false,
        deferred: true,
        disabled: "definition_changed",
      },
    ]);
    expect(JSON.parse(JSON.stringify(document))).toEqual({
      agent: "assistant",
      tools: [
        {
          tool: "read",
          description: "Reads",
          input_schema: inputSchema,
          tool_def: "h",
          tool_origin: "builtin",
          provenance: "native",
          risk: "low",
          read_only: true,
          idempotent: false,
          client: false,
          prompts: true,
          visible: false,
          deferred: true,
          disabled: "definition_changed",
        },
      ],
    });
  });
});

describe("problems", () => {
  test("[HP1] a problem has the members of RFC 9457, the request's id, errors where a field is to blame", () => {
    const errors = [{ path: "input", message: "unknown field" }];
    expect(encodeProblem({ slug: "invalid-request", detail: "No.", errors }, "req_1")).toEqual({
      type: "/problems/invalid-request",
      title: "Invalid request",
      status: 400,
      detail: "No.",
      instance: "/requests/req_1",
      request_id: "req_1",
      errors,
    });
  });

  test("[HP1] further members never replace those of the standard", () => {
    const members = { reason: "depth", status: 200, type: "about:blank" };
    expect(encodeProblem({ slug: "invalid-json", detail: "No.", members }, "req_1")).toMatchObject({
      type: "/problems/invalid-json",
      status: 400,
      reason: "depth",
    });
  });

  test("every 429 and 503 says when to come back, no other problem does", () => {
    for (const [slug, status] of Object.entries(problemStatus)) {
      const headers = problemHeaders({ slug: slug as keyof typeof problemStatus, detail: "" });
      expect([slug, "retry-after" in headers]).toEqual([slug, status === 429 || status === 503]);
    }
  });
});
