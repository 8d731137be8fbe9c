/** Approval documents, open requests and the refusals around them, member by member. */
import { describe, expect, test } from "vitest";
import type { ApprovalView } from "../../src/contracts/verbs.ts";
import type { TurnRecord } from "../../src/contracts/turn.ts";
import { encodeApproval, encodeApprovalPage } from "../../src/wire/approvals.ts";
import { encodeProblem } from "../../src/wire/problem.ts";
import { encodeTurn } from "../../src/wire/responses.ts";
import {
  approvalDecided,
  approvalExpired,
  approvalVoid,
  toolResultConflict,
  turnFinished,
  turnNotRunning,
  wrongChannel,
} from "../../src/wire/turn-problems.ts";

const conversation = "conv_8Zc1f0aQ2mLk7Rt5XwBn4D";
const path = `/v1/conversations/${conversation}`;
const pending: ApprovalView = {
  n: 3,
  approvalId: "apr_1",
  turn: "trn_7",
  callId: "call_7_0",
  agent: "assistant",
  tool: "send_mail",
  toolOrigin: "http",
  risk: "high",
  definitionHash: "d".repeat(64),
  argsDigest: "a".repeat(64),
  summary: "to: ann@example.com",
  expiresAt: 1500,
  channel: "http",
  alwaysAsks: false,
  state: "pending",
};
const decided: ApprovalView = {
  ...pending,
  state: "decided",
  decided: {
    decision: "replace",
    replacement: "not today",
    note: "n",
    provenance: "operator",
    decidedBy: "key:ann",
    channel: "slack",
    decidedAt: 0,
  },
};
const document = {
  approval_id: "apr_1",
  conversation,
  n: 3,
  turn: "trn_7",
  call_id: "call_7_0",
  agent: "assistant",
  tool: "send_mail",
  tool_origin: "http",
  risk: "high",
  tool_def: "d".repeat(64),
  args_digest: "a".repeat(64),
  arguments_summary: "to: ann@example.com",
  expires_at: "1970-01-01T00:00:01.500Z",
  channel: "http",
  always_asks: false,
  state: "pending",
  links: { decide: `${path}/approvals/apr_1`, turn: `${path}/turns/trn_7` },
};

describe("documents", () => {
  test("[AP4] an approval shows what is asked and what binds the answer", () => {
    expect(encodeApproval(conversation, pending)).toEqual(document);
  });

  test("[AP7] a decided one shows what was decided, by whom, through which channel, when", () => {
    expect(encodeApproval(conversation, decided)).toEqual({
      ...document,
      state: "decided",
      decided: {
        decision: "replace",
        replacement: "not today",
        note: "n",
        provenance: "operator",
        decided_by: "key:ann",
        channel: "slack",
        decided_at: "1970-01-01T00:00:00.000Z",
      },
    });
  });

  test("a page names where the next begins, until the first approval of all was on it", () => {
    expect(encodeApprovalPage(conversation, [pending])).toEqual({ approvals: [document], next_before: 3 });
    expect(encodeApprovalPage(conversation, [{ ...pending, n: 1 }])).toMatchObject({ next_before: null });
    expect(encodeApprovalPage(conversation, [])).toEqual({ approvals: [], next_before: null });
  });

  test("[RE20] a suspended turn shows whom it waits for, arguments of client calls untouched", () => {
    const turn: TurnRecord = {
      n: 7,
      id: "trn_7",
      agent: "assistant",
      state: "suspended",
      entry: "http",
      channel: "http",
      subject: "key:dev",
      narrowing: {},
      attempt: 1,
      acceptedAt: 0,
    };
    const call = { callId: "call_7_1", tool: "locate", args: { someKey: 1 }, expiresAt: 1500 };
    const openRequests = { approvals: [pending], clientCalls: [call] };
    expect(encodeTurn(conversation, { turn, openRequests })).toMatchObject({
      state: "suspended",
      open_requests: {
        approvals: [document],
        client_calls: [
          { call_id: "call_7_1", tool: "locate", arguments: { someKey: 1 }, expires_at: "1970-01-01T00:00:01.500Z" },
        ],
      },
    });
    expect(encodeTurn(conversation, { turn })).not.toHaveProperty("open_requests");
  });
});

describe("refusals", () => {
  test.each([
    [
      approvalDecided(decided),
      409,
      { decision: "replace", provenance: "operator", decided_by: "key:ann", decided_at: "1970-01-01T00:00:00.000Z" },
    ],
    [approvalExpired(pending), 410, { expires_at: "1970-01-01T00:00:01.500Z" }],
    [approvalVoid({ ...pending, state: "superseded" }), 409, { state: "superseded" }],
    [wrongChannel, 403, {}],
    [turnFinished("completed"), 409, { outcome: "completed" }],
    [turnNotRunning("queued"), 409, { state: "queued" }],
    [toolResultConflict([{ callId: "c", reason: "settled" }]), 409, { errors: [{ path: "c", message: "settled" }] }],
  ])("[SE22] %o", (problem, status, members) => {
    expect(encodeProblem(problem, "r")).toMatchObject({ status, type: `/problems/${problem.slug}`, ...members });
  });

  test("[SE22] the refusal of a decision does not repeat its texts", () => {
    expect(JSON.stringify(approvalDecided(decided))).not.toContain("not today");
  });
});
