/** OpenBatch: the calls of one response from judgement to a full set of slots; it can be left open and taken up again. Rules: AP3, DI11, EV5, EV7, CK5, CK8, HI3. */
import type { AssistantEntry } from "../../contracts/message.ts";
import { isDelegate } from "../../policy/delegation.ts";
import { askForApproval, callsToAsk, toPreparedRow } from "./ask-approval.ts";
import { CallSlots, type FilledSlots } from "./call-slots.ts";
import { offerClientCalls } from "./client-calls.ts";
import { endStopped } from "./end-stopped.ts";
import { holdSwitch } from "./model-switch.ts";
import { type LoopOutcome, type Suspended, cancelledHere } from "./outcome.ts";
import { mayRunInParallel } from "./parallel.ts";
import type { ParsedCall } from "./parse/read-calls.ts";
import * as sentences from "./runtime-sentences.ts";
import { type UnrunSettlement, settleUnrun, unrunAs } from "./settle-unrun.ts";
import { appendRound } from "./steps/append.ts";
import { type ApprovedCall, type JudgedCall, inCallOrder, judgeBatch, releaseCalls } from "./steps/approval-gate.ts";
import { prepareCalls } from "./steps/call-prep.ts";
import { type StartedCall, dispatchCalls } from "./steps/dispatch.ts";
import { controlRound } from "./steps/loop-control.ts";
import type { ParsedResponse } from "./steps/parse-response.ts";
import { reportedBudget, trimToReported } from "./trim-history.ts";
import type { LoopStart } from "./tool-loop.ts";
import type { ToolLoop } from "./turn-context.ts";

export interface OpenBatch {
  readonly message: AssistantEntry;
  /** Settled calls are in their slots. */
  readonly slots: CallSlots;
  /** In call order, those that are decided and may run once released. */
  readonly waiting: readonly JudgedCall[];
  /** Past their fence, without a result: delegates whose frames go on, calls that may run again under their key. */
  readonly begun: readonly StartedCall[];
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
  const batch = { message, slots: new CallSlots(calls.length), waiting: [], begun: [], settled: [], parallel: false };
  return await judgeInto(loop, batch, calls);
}

/** The same for what nothing is stored of, when a batch is taken up again in its middle (CK15). */
export async function reopenBatch(
  loop: ToolLoop,
  { batch, unprepared }: Extract<LoopStart, { kind: "batch" }>,
): Promise<OpenBatch | Suspended> {
  return unprepared.length === 0 ? batch : await judgeInto(loop, batch, unprepared);
}

async function judgeInto(
  loop: ToolLoop,
  batch: OpenBatch,
  calls: readonly ParsedCall[],
): Promise<OpenBatch | Suspended> {
  const preparations = await prepareCalls(loop, calls);
  const judgement = await judgeBatch(loop, preparations);
  const { settled, judged, repeatedPrompt } = judgement;
  const asked = callsToAsk(judged);
  // Behind a cancel nobody is asked any more: the batch is closed, and what would have waited is not run.
  if (asked.length > 0 && !loop.cancel.aborted) return askForApproval(loop, { settled, judged, asked });
  // What runs beside a call that may wait for somebody must not have to be prepared again when it goes on (CK5).
  if (judged.some(({ prepared }) => isDelegate(prepared.tool))) loop.journal.readyCalls(judged.map(toPreparedRow));
  const fresh = batch.begun.length === 0 && batch.waiting.length === 0;
  return {
    ...batch,
    waiting: [...batch.waiting, ...judged].toSorted(
      (one, other) => one.prepared.call.index - other.prepared.call.index,
    ),
    settled: [...batch.settled, ...settled],
    parallel: fresh && (await mayRunInParallel(loop, preparations, judgement)),
    ...(repeatedPrompt ? { stop: "repeated_prompt" } : {}),
  };
}

/** Runs what may run, fills every slot, brings the round into history, and says whether the frame goes on. */
export async function closeBatch(loop: ToolLoop, batch: OpenBatch | Suspended): Promise<LoopOutcome | undefined> {
  if ("kind" in batch) return batch;
  const { slots, parallel } = batch;
  const { approved, settled } = releaseCalls(loop, batch.waiting);
  for (const result of settleUnrun(loop, inCallOrder([...batch.settled, ...settled]))) slots.fill(result);
  const ours = approved.filter(({ tool }) => !tool.client);
  const theirs = approved.filter(({ tool }) => tool.client);
  const left = await dispatchCalls(loop, { begun: batch.begun, fresh: ours }, { slots, parallel });
  if (left !== undefined) return left;
  if (theirs.length > 0 && !loop.cancel.aborted) return offerClientCalls(loop, theirs);
  interruptRest(loop, slots, theirs);
  return await endRound(loop, batch, slots.complete());
}

async function endRound(loop: ToolLoop, batch: OpenBatch, results: FilledSlots): Promise<LoopOutcome | undefined> {
  const budget = reportedBudget(loop);
  const verdict = controlRound(loop, results);
  const stop = batch.stop ?? verdict.stop;
  if (stop !== undefined) loop.stop = stop;
  holdSwitch(loop, results);
  appendRound(loop, { message: batch.message, results, notes: verdict.notes, events: verdict.events });
  if (loop.cancel.aborted) return cancelledHere;
  trimToReported(loop, budget);
  return stop === undefined ? undefined : await endStopped(loop, stop);
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
