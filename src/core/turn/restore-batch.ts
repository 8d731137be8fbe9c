/** An open batch as its rows have it: settled calls in their slots, what was decided at the gate, the rest to be prepared. Rules: CK3, CK5, CK8, CK9, CK14, CK15, CP16, DI8, LC11. */
import { isDelegate } from "../../policy/delegation.ts";
import type { StoredBatchCall } from "../../contracts/call.ts";
import { canonicalJson } from "../../receipts/canonical-json.ts";
import { digestText } from "../../receipts/digest.ts";
import { withReceiptLine } from "../../receipts/format.ts";
import type { AssistantEntry } from "../../contracts/message.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { ParsedCall } from "./parse/read-calls.ts";
import { CallSlots, type ComparedCall } from "./call-slots.ts";
import { reparseCall } from "./parse/read-calls.ts";
import { freezeJson } from "./plain-json.ts";
import * as sentences from "./runtime-sentences.ts";
import type { UnrunSettlement } from "./settle-unrun.ts";
import { type JudgedCall, releaseAgain } from "./steps/approval-gate.ts";
import type { PreparedCall } from "./steps/call-prep.ts";
import { callSignature } from "./guards/duplicate-calls.ts";
import type { StartedCall } from "./steps/dispatch.ts";
import type { LoopStart } from "./tool-loop.ts";
import type { ToolLoop } from "./turn-context.ts";

interface Answer {
  readonly message: AssistantEntry;
  readonly finishReason: string;
}

/** Nothing that was prepared and stored is prepared again; somebody who is still to decide is still waited for. */
export function restoreBatch(loop: ToolLoop, answer: Answer, calls: readonly StoredBatchCall[]): LoopStart {
  const { message } = answer;
  for (const { wireId } of message.calls) loop.usedWireIds.add(wireId);
  const slots = new CallSlots(calls.length);
  const waiting: JudgedCall[] = [];
  const begun: StartedCall[] = [];
  const settled: UnrunSettlement[] = [];
  const unprepared: ParsedCall[] = [];
  for (const stored of calls) {
    const place = placeOf(loop, stored);
    if (place === "waits") return { kind: "waits" };
    if (place === "unprepared") unprepared.push(reparseCall(stored.call, answer.finishReason === "length"));
    else if ("outcome" in place) slots.fill(place);
    else if ("startedAt" in place) begun.push(place);
    else if ("reason" in place) settled.push(place);
    else waiting.push(place);
  }
  // A batch that waited for somebody never becomes parallel (DI2).
  return { kind: "batch", batch: { message, slots, waiting, begun, settled, parallel: false }, unprepared };
}

type Place = ReturnType<typeof toResult> | JudgedCall | StartedCall | UnrunSettlement | "waits" | "unprepared";

function placeOf(loop: ToolLoop, stored: StoredBatchCall): Place {
  switch (stored.state) {
    case "settled":
      noteRefusedPrompt(loop, stored);
      return toResult(stored);
    case "started":
      return stored.offered ? "waits" : toBegun(loop, stored);
    case "awaiting_approval":
      // Still asked about at re-entry: a cancel takes the turn up like that, and closes what it finds (DI8, CK13).
      return loop.cancel.aborted ? toCancelled(loop, stored) : "waits";
    case "ready":
      return toJudged(loop, stored);
    case "proposed":
      return "unprepared";
    default:
      return stored.state satisfies never;
  }
}

function toResult(stored: StoredBatchCall) {
  const { call, outcome } = stored;
  if (outcome === undefined) throw new Error(`${call.callId} is settled without an outcome`);
  return { call, outcome, modelText: withReceiptLine(outcome), ...comparedOf(stored) };
}

/** A prompt that was turned down while the turn waited counts from now on (CP16). */
function noteRefusedPrompt({ shared }: ToolLoop, { prepared, outcome }: StoredBatchCall): void {
  if (prepared?.approvalId === undefined || outcome === undefined) return;
  const signature = callSignature(prepared.tool, canonicalJson(prepared.args));
  shared.guards.repeatedPrompt.record(signature, outcome.disposition);
}

function comparedOf({ prepared, outcome, blocked, resultDigest }: StoredBatchCall): { compared?: ComparedCall } {
  if (blocked !== undefined) return { compared: blocked };
  if (prepared === undefined || outcome === undefined) return {};
  const { tool, argsDigest } = prepared;
  // Only what stands in for a result has none of its own: a replacement.
  return { compared: { tool, argsDigest, outputDigest: resultDigest ?? digestText(outcome.shown) } };
}

/** It passed its fence before: a delegate whose frame goes on, or a tool that may run again under its key (G6). */
function toBegun(loop: ToolLoop, stored: StoredBatchCall): StartedCall {
  const prepared = toPrepared(loop, stored);
  // What was started under a definition that is gone cannot be said to have been this tool's: the turn is closed as it is found.
  if (prepared === undefined) throw new Error(`${stored.call.callId} was started and its tool is gone`);
  // Nor may another one take its place: what was approved, or needed no approval, was this definition (AP5, TS18).
  if (!isDelegate(prepared.tool) && prepared.tool.definitionHash !== prepared.definitionHash)
    throw new Error(`${stored.call.callId} was started and its tool is another by now`);
  const { startedAt = loop.execution.ports.now(), idempotencyKey } = stored;
  const approved = releaseAgain(prepared);
  return { approved, startedAt, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

function toPrepared(loop: ToolLoop, { call, prepared }: StoredBatchCall): PreparedCall | undefined {
  if (prepared === undefined) throw new Error(`${call.callId} is open and was never prepared`);
  const { tool: name, definitionHash, argsDigest } = prepared;
  const resolution = loop.execution.registry.resolve(name);
  const found = "tool" in resolution ? resolution.tool : toolOfFrame(loop, call);
  if (found === undefined) return undefined;
  const args = freezeJson(prepared.args);
  const signature = callSignature(name, canonicalJson(args));
  return { call, tool: found, definitionHash, args, argsDigest, signature };
}

/** Whatever the configuration says by now, a delegate's frame that is there is closed by whoever goes on with its call. */
const toolOfFrame = ({ execution, journal }: ToolLoop, { callId }: StoredBatchCall["call"]): Tool | undefined =>
  journal.delegateFrame(callId).readFrame() === undefined ? undefined : execution.delegates.tool();

const toCancelled = (loop: ToolLoop, stored: StoredBatchCall): UnrunSettlement => {
  const prepared = toPrepared(loop, stored);
  const known = { args: stored.prepared?.args ?? {}, ...(prepared === undefined ? {} : { tool: prepared.tool }) };
  return {
    call: stored.call,
    reason: { disposition: "cancelled", sentence: sentences.cancelledWhileAsking, ...known },
  };
};

/** The decision is in the rows; nothing of preparation, hooks or rules is asked again (CK5, CK9). */
function toJudged(loop: ToolLoop, stored: StoredBatchCall): JudgedCall | UnrunSettlement {
  const { call, prepared: row } = stored;
  const prepared = toPrepared(loop, stored);
  if (row === undefined || prepared === undefined) {
    const sentence = sentences.notAvailable(row?.tool ?? call.tool);
    return { call, reason: { disposition: "not_available", sentence, args: row?.args ?? {} } };
  }
  const { tool, args } = prepared;
  // The bytes that would run must be the bytes that were approved (AP5).
  if (digestText(canonicalJson(args)) !== row.argsDigest) {
    return { call, reason: { disposition: "refused", sentence: sentences.approvalDoesNotFit, tool, args } };
  }
  const { requirement, approvalId } = row;
  return {
    prepared,
    ruling: { requirement: requirement === "not_required" ? "not_required" : "approved", line: 7 },
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}
