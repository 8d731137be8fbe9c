/** OpenBatch: the calls of one response from judgement to a full set of slots; it can be left open and taken up again. Rules: AP3, DI11, EV5, EV7, CK5, CK8, HI3. */
import type { AssistantEntry } from "../../contracts/message.ts";
import { callsToAsk, suspendForApproval } from "./ask-approval.ts";
import { CallSlots } from "./call-slots.ts";
import { blockedCalls } from "./checkpoint.ts";
import { offerClientCalls } from "./client-calls.ts";
import { repeatedPromptNotice } from "./guards/guard-sentences.ts";
import { type EndedOutcome, type LoopOutcome, type Suspended, cancelledHere } from "./outcome.ts";
import { mayRunInParallel } from "./parallel.ts";
import * as sentences from "./runtime-sentences.ts";
import { type UnrunSettlement, settleUnrun, unrunAs } from "./settle-unrun.ts";
import { appendRound } from "./steps/append.ts";
import { type ApprovedCall, type JudgedCall, inCallOrder, judgeBatch, releaseCalls } from "./steps/approval-gate.ts";
import { prepareCalls } from "./steps/call-prep.ts";
import { dispatchCalls } from "./steps/dispatch.ts";
import { controlRound } from "./steps/loop-control.ts";
import type { ParsedResponse } from "./steps/parse-response.ts";
import { reportedBudget, trimToReported } from "./trim-history.ts";
import type { ToolLoop } from "./turn-context.ts";

export interface OpenBatch {
  readonly message: AssistantEntry;
  /** Settled calls are in their slots. */
  readonly slots: CallSlots;
  /** In call order, those that are decided and may run once released. */
  readonly waiting: readonly JudgedCall[];
  /** Calls that will not run and have no row that says so yet: from preparation, or found unfit at re-entry. */
  readonly settled: readonly UnrunSettlement[];
  readonly parallel: boolean;
  /** Set when a guard closed the batch before anything of it could run. */
  readonly stop?: "repeated_prompt";
}

/** Prepares and judges a whole batch; nothing of it runs before all of it is decided. */
export async function openBatch(
  loop: ToolLoop,
  { message, calls }: Extract<ParsedResponse, { kind: "parsed" }>,
): Promise<OpenBatch | Suspended> {
  const preparations = await prepareCalls(loop, calls);
  const judgement = await judgeBatch(loop, preparations);
  const { settled, judged, repeatedPrompt } = judgement;
  const asked = callsToAsk(judged);
  // Behind a cancel nobody is asked any more: the batch is closed, and what would have waited is not run.
  if (asked.length > 0 && !loop.cancel.aborted) return suspendForApproval(loop, { settled, judged, asked });
  const slots = new CallSlots(calls.length);
  const parallel = await mayRunInParallel(loop, preparations, judgement);
  const batch = { message, slots, waiting: judged, settled, parallel };
  return repeatedPrompt ? { ...batch, stop: "repeated_prompt" } : batch;
}

/** Runs what may run, fills every slot, brings the round into history, and says whether the turn goes on. */
export async function closeBatch(loop: ToolLoop, batch: OpenBatch): Promise<LoopOutcome | undefined> {
  const { slots, waiting, parallel } = batch;
  const { approved, settled } = releaseCalls(loop, waiting);
  for (const result of settleUnrun(loop, inCallOrder([...batch.settled, ...settled]))) slots.fill(result);
  const ours = approved.filter(({ tool }) => !tool.client);
  const theirs = approved.filter(({ tool }) => tool.client);
  await dispatchCalls(loop, ours, { slots, parallel });
  if (theirs.length > 0 && !loop.cancel.aborted) return offerClientCalls(loop, theirs, blockedCalls(slots.filled()));
  interruptRest(loop, slots, theirs);
  const results = slots.complete();
  const budget = reportedBudget(loop);
  const verdict = controlRound(loop, results);
  appendRound(loop, { message: batch.message, results, notes: verdict.notes });
  if (loop.cancel.aborted) return cancelledHere;
  trimToReported(loop, budget);
  return endOfRound(loop, batch, verdict.end);
}

/** What a cancel leaves unfilled never started: the calls that had started filled their slots themselves (DI8). */
function interruptRest(loop: ToolLoop, slots: CallSlots, calls: readonly ApprovedCall[]): void {
  const open = calls.filter(({ call }) => !slots.isFilled(call.index));
  const settlements = open.map((approved) => ({
    call: approved.call,
    reason: unrunAs(approved, "interrupted", sentences.NOT_RUN),
  }));
  for (const result of settleUnrun(loop, settlements)) slots.fill(result);
}

async function endOfRound(
  loop: ToolLoop,
  { stop }: OpenBatch,
  end: (() => Promise<EndedOutcome>) | undefined,
): Promise<LoopOutcome | undefined> {
  if (stop === undefined) return end?.();
  const { turn } = loop.identity;
  const text = repeatedPromptNotice;
  return { kind: "stopped", reason: stop, text, entries: [{ kind: "assistant", turn, text, calls: [] }] };
}
