/** Turns that wait for somebody outside: batches suspended for approvals or for the client, and what then comes in. */
import type { ApprovalDecision, ApprovalRequest } from "../../src/contracts/approval.ts";
import type { CallOutcome, Disposition, ModelCall, PreparedRow } from "../../src/contracts/call.ts";
import type { CallSettlement, TurnJournal, UnrunCall } from "../../src/contracts/turn-journal.ts";
import type { TurnEvent } from "../../src/contracts/turn-event.ts";
import type { Result } from "../../src/contracts/result.ts";
import {
  decideApproval,
  type DecisionEffect,
  type DecisionRefusal,
} from "../../src/storage/transactions/decide-approval.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { encodeUtf8 } from "../../src/storage/utf8.ts";
import { readLog } from "./storage-checker.ts";
import { type Fixture, makeCall, makeEvent, propose, resultEvent } from "./storage-fixture.ts";

/** Epoch milliseconds: an hour behind the fixture's clock at its start. */
export const deadline = 4_600_000;
export const approvalIdOf = ({ callId }: ModelCall): string => `apr_${callId}`;

export const prepare = (call: ModelCall, change: Partial<PreparedRow> = {}): PreparedRow => ({
  call,
  tool: call.tool,
  definitionHash: "hash",
  args: call.args ?? {},
  argsDigest: `digest ${call.index}`,
  requirement: "not_required",
  ...change,
});

export const prepareAsked = (call: ModelCall): PreparedRow =>
  prepare(call, { requirement: "prompt", approvalId: approvalIdOf(call) });

export const request = (call: ModelCall, change: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  approvalId: approvalIdOf(call),
  turn: "t",
  callId: call.callId,
  agent: "ada",
  tool: call.tool,
  toolOrigin: "builtin",
  risk: "high",
  definitionHash: "hash",
  argsDigest: `digest ${call.index}`,
  summary: "city: \u0000 \ud800",
  expiresAt: deadline,
  channel: "http",
  alwaysAsks: false,
  ...change,
});

/** A running turn named `t` whose first response asks for so many calls. */
export function openBatch(fixture: Fixture, count: number): { journal: TurnJournal; calls: readonly ModelCall[] } {
  const calls = Array.from({ length: count }, (_, index) => makeCall("t", index));
  fixture.accept("t");
  fixture.start("t");
  const journal = fixture.journal("t");
  propose(journal, "t", { step: 1, calls });
  return { journal, calls };
}

export const requestedEvent = ({
  approvalId,
  callId,
  tool,
  toolOrigin,
  summary,
  risk,
  expiresAt,
}: ApprovalRequest): TurnEvent => {
  const shown = { arguments: {}, argumentsSummary: summary, risk, expiresAt };
  return makeEvent("t", { type: "approval_requested", approvalId, callId, tool, toolOrigin, ...shown });
};

export interface ApprovalBatch {
  readonly asked: readonly ModelCall[];
  readonly free?: readonly ModelCall[];
  readonly settled?: readonly UnrunCall[];
  readonly change?: Partial<ApprovalRequest>;
}

export function suspend(journal: TurnJournal, { asked, free = [], settled = [], change = {} }: ApprovalBatch): void {
  journal.askApprovals({
    step: 1,
    settled,
    prepared: [...asked.map(prepareAsked), ...free.map((call) => prepare(call))],
    approvals: asked.map((call) => request(call, change)),
    events: asked.map((call) => requestedEvent(request(call, change))),
  });
  letGo(journal);
}

/** No frame runs any more: false when nothing is open. */
export const letGo = (journal: TurnJournal): boolean =>
  journal.suspend((open) => makeEvent("t", { type: "turn_suspended", ...open }));

export function offer(journal: TurnJournal, calls: readonly ModelCall[], expiresAt = deadline): void {
  journal.offerCalls({
    step: 1,
    calls: calls.map((call) => ({ prepared: prepare(call), expiresAt })),
    events: calls.map(({ callId, tool, origin, index, args = {} }) =>
      makeEvent("t", { type: "tool_call", callId, tool, toolOrigin: "client", arguments: args, origin, index }),
    ),
  });
  letGo(journal);
}

export function endAs(call: ModelCall, disposition: Disposition): UnrunCall {
  const told = { shown: `it is ${disposition}`, chars: 6 + disposition.length, truncated: false, durationMs: 0 };
  const outcome: CallOutcome = { disposition, success: disposition === "replaced", ...told };
  const { callId, tool, origin, index } = call;
  const body = { type: "tool_call", callId, tool, toolOrigin: "builtin", arguments: {}, origin, index } as const;
  return { call, outcome, events: [makeEvent("t", body), resultEvent("t", call, outcome)] };
}

/** What the client sent, or that it sent nothing. */
export function answer(
  call: ModelCall,
  shown = "from the client",
  disposition: Disposition = "client_result",
): CallSettlement {
  const told = { shown, chars: Array.from(shown).length, truncated: false, durationMs: 7 };
  const outcome: CallOutcome = { disposition, success: disposition === "client_result", ...told };
  const result = { bytes: encodeUtf8(shown), complete: true, chars: told.chars, digest: "raw" };
  return { call, outcome, result, event: resultEvent("t", call, outcome) };
}

export interface Decide {
  readonly decision?: ApprovalDecision;
  readonly replacement?: string;
  readonly channel?: string;
}

/** As `ann` says through `http`, unless another channel is named. */
export function decide(
  { context }: Fixture,
  call: ModelCall,
  { decision = "approve", replacement, channel = "http" }: Decide = {},
): Result<DecisionEffect, DecisionRefusal> {
  return decideApproval(context, {
    approvalId: approvalIdOf(call),
    input: replacement === undefined ? { decision } : { decision, replacement },
    by: { subject: "ann", channel },
    endCall: ({ decided }, stored) => endAs(stored.call, decided?.decision === "replace" ? "replaced" : "denied"),
  });
}

/** How it went, in a word: what is compared most. */
export const kindOf = (decided: Result<DecisionEffect, DecisionRefusal>): string =>
  decided.ok ? `${decided.value.repeated ? "again" : "made"} ${decided.value.resumed}` : decided.failure.kind;

export const stateOf = ({ sql }: Fixture): string | undefined => findTurn(sql, "t")?.turn.state;
export const callStates = ({ sql }: Fixture, calls: readonly ModelCall[]): unknown[] =>
  calls.map(({ callId }) => findCall(sql, callId)?.state);
export const typesAfter = ({ sql }: Fixture, seq: number): string[] =>
  readLog(sql)
    .slice(seq)
    .map(({ type, callId }) => `${type} ${callId?.at(-1) ?? ""}`.trim());

/** Three calls, of which the first two wait for a person. */
export function suspended(fixture: Fixture, change = {}) {
  const { journal, calls } = openBatch(fixture, 3);
  const [one = makeCall("t", 0), two = makeCall("t", 1), free = makeCall("t", 2)] = calls;
  suspend(journal, { asked: [one, two], free: [free], change });
  return { journal, calls, one, two, free };
}

export const start = (journal: ReturnType<Fixture["journal"]>, call: ModelCall, change = {}): boolean => {
  const { callId, tool, origin, index } = call;
  const body = { type: "tool_call", callId, tool, toolOrigin: "builtin", arguments: {}, origin, index } as const;
  const event = { turn: "t", agent: "ada", channel: "http", ...body } as const;
  return journal.startCall({ ...prepare(call), event, ...change });
};
