/** Step 5, approval gate: the batch is judged together, and only what is released here can be dispatched. Rules: AP1–AP3, AP5, AP9, CP15–CP18, CK8, LC20. */
import { succeed } from "../../../contracts/result.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { type ApprovalRuling, judgeApproval } from "../../../policy/approval-policy.ts";
import { isDelegate } from "../../../policy/delegation.ts";
import { findApprover } from "../approver.ts";
import { type DuplicateCalls, createDuplicateCalls } from "../guards/duplicate-calls.ts";
import * as guardSentences from "../guards/guard-sentences.ts";
import { resolveTool } from "../resolve-tool.ts";
import * as sentences from "../runtime-sentences.ts";
import { type UnrunReason, type UnrunSettlement, unrunAs } from "../settle-unrun.ts";
import type { ToolLoop } from "../turn-context.ts";
import type { Preparation, PreparedCall } from "./call-prep.ts";

/** A prepared call with its ruling; a call that prompts waits for its decision under `approvalId`. */
export interface JudgedCall {
  readonly prepared: PreparedCall;
  readonly ruling: ApprovalRuling;
  readonly approvalId?: string;
}

/** A whole batch before any of it runs. With `repeatedPrompt` nothing of it will (LC20). */
export interface JudgedBatch {
  readonly settled: readonly UnrunSettlement[];
  readonly judged: readonly JudgedCall[];
  readonly repeatedPrompt: boolean;
}

export async function judgeBatch(loop: ToolLoop, preparations: readonly Preparation[]): Promise<JudgedBatch> {
  const settled: UnrunSettlement[] = [];
  const judged: JudgedCall[] = [];
  const duplicates = createDuplicateCalls(loop.execution.knobs);
  for (const [index, preparation] of preparations.entries()) {
    if (preparation.kind === "settled") {
      settled.push(preparation);
      continue;
    }
    const { prepared } = preparation;
    const { call } = prepared;
    const ruling = await rule(loop, prepared);
    const asks = ruling.requirement === "prompt";
    const reason = asks ? promptRefusal(loop, prepared, duplicates) : undefined;
    if (reason === undefined) judged.push({ prepared, ruling, ...(asks ? { approvalId: `apr_${call.callId}` } : {}) });
    else settled.push({ call, reason });
    if (reason?.disposition === "refused") return closeEarly({ settled, judged }, preparations.slice(index + 1));
  }
  return { settled, judged, repeatedPrompt: false };
}

/** By the rules of the agent, and by what a person has said for good. */
export function rule(
  { execution: { risk, ports, agent }, journal }: ToolLoop,
  { tool, args }: Pick<PreparedCall, "tool" | "args">,
): Promise<ApprovalRuling> {
  const grant = { agent: agent.alias, tool: tool.definition.name, definitionHash: tool.definitionHash };
  const rules = { ...risk, remembered: () => journal.isRemembered(grant) };
  return judgeApproval({ tool, args, rules, startTimer: ports.startTimer });
}

/** Why a call that prompts is settled without asking anyone. */
function promptRefusal(loop: ToolLoop, prepared: PreparedCall, duplicates: DuplicateCalls): UnrunReason | undefined {
  const { call, tool, signature } = prepared;
  const earlier = duplicates.enterPrompted({ callId: call.callId, signature, tool });
  if (earlier !== undefined) return unrunAs(prepared, "duplicate", sentences.duplicateOf(earlier));
  const { repeatedPrompt } = loop.shared.guards;
  if (repeatedPrompt.refuses(signature, tool)) {
    return unrunAs(prepared, "refused", guardSentences.repeatedPrompt(tool.definition.name));
  }
  const approver = findApprover(loop);
  if (approver.kind === "asks") return undefined;
  repeatedPrompt.record(signature, approver.disposition);
  return unrunAs(prepared, approver.disposition, approver.sentence);
}

const notRun = (prepared: PreparedCall): UnrunSettlement => ({
  call: prepared.call,
  reason: unrunAs(prepared, "interrupted", sentences.NOT_RUN),
});

/** Preparation ends here: what is settled stays so, all else is not run, and nobody is asked (LC20). */
function closeEarly(
  { settled, judged }: { readonly settled: readonly UnrunSettlement[]; readonly judged: readonly JudgedCall[] },
  rest: readonly Preparation[],
): JudgedBatch {
  const calls: readonly UnrunSettlement[] = [
    ...judged.map(({ prepared }) => notRun(prepared)),
    ...rest.map((preparation) => (preparation.kind === "settled" ? preparation : notRun(preparation.prepared))),
  ];
  return { settled: inCallOrder([...settled, ...calls]), judged: [], repeatedPrompt: true };
}

export const inCallOrder = (settlements: readonly UnrunSettlement[]): readonly UnrunSettlement[] =>
  settlements.toSorted((left, right) => left.call.index - right.call.index);

declare const released: unique symbol;
/** A call that may run now, with the arguments `execute` gets. The brand is made by `releaseCalls` and nowhere else. */
export type ApprovedCall = PreparedCall & { readonly parsedArgs: unknown; readonly [released]: true };

/** A call that passed its fence before this instance took the turn up. Throws when its tool takes these arguments no longer. */
export function releaseAgain(prepared: PreparedCall): ApprovedCall {
  // A delegate's were checked when its frame was opened; whom it may be is asked again when it goes on.
  const { tool, args, call } = prepared;
  const checked = isDelegate(tool) ? succeed(args) : tool.checkArguments(args);
  if (!checked.ok) throw new Error(`${call.callId} was started with arguments that its tool refuses by now`);
  return { ...prepared, parsedArgs: checked.value } as ApprovedCall;
}

export interface Release {
  readonly approved: readonly ApprovedCall[];
  readonly settled: readonly UnrunSettlement[];
}

/**
 * In call order, every call that may still run once nothing is open: checked again against what changed meanwhile, its approval
 * marker set, its duplicates settled. The same for a batch that nobody had to judge and for one that waited a week.
 */
export function releaseCalls(loop: ToolLoop, calls: readonly JudgedCall[]): Release {
  const approved: ApprovedCall[] = [];
  const settled: UnrunSettlement[] = [];
  const duplicates = createDuplicateCalls(loop.execution.knobs);
  for (const { prepared, ruling } of calls) {
    const gone = changedSince(loop, prepared);
    const checked = gone === undefined ? prepared.tool.checkArguments(prepared.args) : undefined;
    const reason = gone ?? misfitReason(prepared, checked) ?? duplicateReason(prepared, duplicates);
    if (checked?.ok === true && reason === undefined) approved.push(approve(prepared, ruling, checked.value));
    else if (reason !== undefined) settled.push({ call: prepared.call, reason });
  }
  return { approved, settled };
}

/** "Not required" is no approval: only a rule or a person sets a tool's marker (CP17). */
function approve(prepared: PreparedCall, { requirement }: ApprovalRuling, parsed: unknown): ApprovedCall {
  const marked = prepared.tool.approvalMarker;
  const parsedArgs = marked ? { ...(parsed as object), approved: requirement !== "not_required" } : parsed;
  return { ...prepared, parsedArgs } as ApprovedCall;
}

/** A check in code may have become stricter while the call waited, under the same definition hash. */
function misfitReason(
  { tool }: PreparedCall,
  checked: ReturnType<Tool["checkArguments"]> | undefined,
): UnrunReason | undefined {
  return checked === undefined || checked.ok
    ? undefined
    : { disposition: "invalid_arguments", sentence: sentences.invalidArguments(checked.failure), tool };
}

function duplicateReason(prepared: PreparedCall, duplicates: DuplicateCalls): UnrunReason | undefined {
  const { call, tool, signature } = prepared;
  const earlier = duplicates.enterExecutable({ callId: call.callId, signature, tool });
  return earlier === undefined ? undefined : unrunAs(prepared, "duplicate", sentences.duplicateOf(earlier));
}

function changedSince(loop: ToolLoop, prepared: PreparedCall): UnrunReason | undefined {
  const { call, tool, definitionHash } = prepared;
  if (loop.cancel.aborted) return unrunAs(prepared, "interrupted", sentences.NOT_RUN);
  const { name } = tool.definition;
  const now = resolveTool(loop, name, true);
  const asked = call.tool === name ? now : resolveTool(loop, call.tool, true);
  if (now.kind !== "granted" || asked.kind === "not_available") {
    return unrunAs(prepared, "not_available", sentences.notAvailable(name));
  }
  return now.tool.definitionHash === definitionHash
    ? undefined
    : unrunAs(prepared, "refused", sentences.approvalDoesNotFit);
}
