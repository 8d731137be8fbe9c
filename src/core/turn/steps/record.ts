/** Step 9, record: digests, receipt, stored result and event of a call that ran, in one transaction. Rules: RD1–RD3, RD5, RD8, DM7, EX13, RE1, RE5, RE6, BD8, BD10. */
import type { CallOutcome, StoredResult } from "../../../contracts/call.ts";
import type { ReceiptBody, SignedReceipt } from "../../../contracts/receipt.ts";
import { utf8 } from "../../../receipts/digest.ts";
import { withReceiptLine } from "../../../receipts/format.ts";
import { headAfter } from "../../../receipts/sign.ts";
import { activationsOf } from "../activated-tool-set.ts";
import { toolResultBody } from "../call-events.ts";
import { runAfterHooks } from "../call-hooks.ts";
import type { RecordedResult } from "../call-slots.ts";
import { readPlan } from "../delivered.ts";
import { observeCallEnd } from "../observe-call.ts";
import { type ToolLoop, eventOf } from "../turn-context.ts";
import type { ApprovedCall } from "./approval-gate.ts";
import type { BoundedResult } from "./bound.ts";
import type { StartedCall } from "./dispatch.ts";

/** Everything slow happens first; from the receipt's place in its chain to the stored row there is no await. */
export async function recordResult(
  loop: ToolLoop,
  started: StartedCall,
  bounded: BoundedResult,
): Promise<RecordedResult> {
  const { journal, execution, shared } = loop;
  const { call, tool } = started.approved;
  const bytes = utf8(bounded.raw.text);
  const digest = await execution.ports.digest(bytes);
  const shownDigest = bounded.shown === bounded.raw.text ? digest : await execution.ports.digest(utf8(bounded.shown));
  const durationMs = Math.max(0, execution.ports.now() - started.startedAt);
  const signed = { result: digest, shown: shownDigest, result_chars: bounded.chars };
  const receipt = bounded.raw.disposition === "succeeded" ? signResult(loop, started.approved, signed) : undefined;
  const outcome = toOutcome(bounded, durationMs, receipt);
  const stored = storablePart(bytes, execution.knobs.maxStoredResultBytes);
  const result: StoredResult = { bytes: stored, complete: stored === bytes, chars: bounded.chars, digest };
  const name = tool.definition.name;
  const event = eventOf(loop, toolResultBody(call, name, outcome));
  const activated = activationsOf(loop, tool, outcome);
  const todos = readPlan(tool, outcome);
  const further = todos === undefined ? [] : [eventOf(loop, { type: "plan", todos })];
  if (!journal.settleCall({ call, outcome, result, event, further, activated }))
    throw new Error(`${call.callId} was settled twice`);
  if (receipt !== undefined) shared.receipts.push({ callId: call.callId, tool: name, receipt: receipt.token });
  observeCallEnd(loop, started.approved, { outcome, stored: result });
  await runAfterHooks(loop, call, toFinishedCall(started.approved, bounded, durationMs));
  return {
    call,
    outcome,
    modelText: withReceiptLine(outcome),
    compared: { tool: name, argsDigest: started.approved.argsDigest, outputDigest: digest },
  };
}

function toFinishedCall({ tool, args }: ApprovedCall, { raw }: BoundedResult, durationMs: number) {
  const success = raw.disposition === "succeeded";
  const result = success ? { success, output: raw.text } : { success, output: "", error: raw.text };
  return { tool: tool.definition.name, args, result, durationMs };
}

function signResult(
  { execution, identity, journal }: ToolLoop,
  { call, tool, definitionHash, argsDigest }: ApprovedCall,
  signed: Pick<ReceiptBody, "result" | "shown" | "result_chars">,
): SignedReceipt | undefined {
  return execution.signReceipt?.({
    tenant: identity.tenant,
    conversation: identity.conversation,
    turn: identity.turn,
    call: call.callId,
    ...headAfter(journal.lastReceipt()),
    tool: tool.definition.name,
    tool_def: definitionHash,
    args: argsDigest,
    ...signed,
    at: Math.floor(execution.ports.now() / 1000),
  });
}

function toOutcome(bounded: BoundedResult, durationMs: number, receipt: SignedReceipt | undefined): CallOutcome {
  const { raw, shown, chars, truncated } = bounded;
  return {
    disposition: raw.disposition,
    success: raw.disposition === "succeeded",
    shown,
    chars,
    truncated,
    durationMs,
    ...(receipt === undefined ? {} : { receipt }),
    ...(raw.data === undefined ? {} : { data: raw.data }),
    ...(raw.outputSchemaMismatch === undefined ? {} : { outputSchemaMismatch: raw.outputSchemaMismatch }),
  };
}

/** Over the limit only a prefix is kept, cut between characters and marked incomplete (BD8). */
export function storablePart(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
