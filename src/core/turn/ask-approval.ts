/** Asking for approval: the requests of a batch are opened together, and the loop lets go. Rules: AP3, AP4, AP10, AP12, AP17, EV5, EV7, CK1, CK2. */
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { PreparedRow } from "../../contracts/call.ts";
import type { JsonObject } from "../../contracts/json.ts";
import type { TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import { summarizeArguments } from "../../policy/argument-summary.ts";
import { findApprover } from "./approver.ts";
import { type Suspended, suspendedHere } from "./outcome.ts";
import { type UnrunSettlement, toUnrunCall } from "./settle-unrun.ts";
import type { JudgedCall } from "./steps/approval-gate.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

type Asked = JudgedCall & { readonly approvalId: string };

/** The calls that somebody must decide, in call order. */
export const callsToAsk = (judged: readonly JudgedCall[]): readonly Asked[] =>
  judged.filter((call): call is Asked => call.approvalId !== undefined);

export function askForApproval(
  loop: ToolLoop,
  batch: {
    readonly settled: readonly UnrunSettlement[];
    readonly judged: readonly JudgedCall[];
    readonly asked: readonly Asked[];
  },
): Suspended {
  const requests = batch.asked.map((call) => toRequest(loop, call));
  loop.journal.askApprovals({
    step: loop.iteration,
    settled: batch.settled.map((settlement) => toUnrunCall(loop, settlement)),
    prepared: batch.judged.map(toPreparedRow),
    approvals: requests,
    events: batch.asked.map((call, at) => requestedEvent(loop, call, requests[at])),
  });
  return suspendedHere;
}

export const toPreparedRow = ({ prepared, ruling, approvalId }: JudgedCall): PreparedRow => ({
  call: prepared.call,
  tool: prepared.tool.definition.name,
  definitionHash: prepared.definitionHash,
  args: prepared.args,
  argsDigest: prepared.argsDigest,
  requirement: ruling.requirement,
  ...(approvalId === undefined ? {} : { approvalId }),
});

function toRequest(loop: ToolLoop, { prepared, ruling, approvalId }: Asked): ApprovalRequest {
  const { execution, identity } = loop;
  const { redactor, ports, agent } = execution;
  const { tool, call } = prepared;
  const approver = findApprover(loop);
  if (approver.kind === "nobody") throw new Error(`${call.callId} has nobody to be put to`);
  const { channel, timeoutSecs, fallback } = approver;
  return {
    approvalId,
    turn: identity.turn,
    callId: call.callId,
    agent: agent.alias,
    tool: tool.definition.name,
    toolOrigin: tool.origin,
    risk: tool.risk,
    definitionHash: prepared.definitionHash,
    argsDigest: prepared.argsDigest,
    summary: summarizeArguments(prepared.args, (value) => redactor.value(value)),
    expiresAt: ports.now() + timeoutSecs * 1000,
    channel,
    ...(fallback === undefined ? {} : { fallback }),
    alwaysAsks: ruling.line === 3 || ruling.line === 4,
  };
}

function requestedEvent(loop: ToolLoop, { prepared }: Asked, request: ApprovalRequest | undefined): TurnEvent {
  if (request === undefined) throw new Error(`${prepared.call.callId} has no request`);
  return eventOf(loop, requestedBody(request, prepared.args));
}

/** What readers are told of a request, the first one or the next about the same call. */
export function requestedBody(
  { approvalId, callId, tool, toolOrigin, risk, expiresAt, summary }: ApprovalRequest,
  args: JsonObject,
): TurnEventBody {
  return {
    type: "approval_requested",
    approvalId,
    callId,
    tool,
    toolOrigin,
    arguments: args,
    argumentsSummary: summary,
    risk,
    expiresAt,
  };
}
