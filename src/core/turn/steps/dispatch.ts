/** Step 6, dispatch: approved calls start in model order behind their durable fence, one at a time or side by side, and none after a cancel. Rules: DI3–DI8, DU14, RD3, DI14. */
import { isDelegate } from "../../../policy/delegation.ts";
import { toolCallBody } from "../call-events.ts";
import type { CallSlots } from "../call-slots.ts";
import { executeCall } from "../execute-call.ts";
import { observeCallLost, observeCallStart } from "../observe-call.ts";
import type { Suspended } from "../outcome.ts";
import * as sentences from "../runtime-sentences.ts";
import { settleUnrun, unrunAs } from "../settle-unrun.ts";
import { type ToolLoop, eventOf } from "../turn-context.ts";
import { resolveTool, unavailable } from "../resolve-tool.ts";
import type { ApprovedCall } from "./approval-gate.ts";
import { boundResult } from "./bound.ts";
import { recordResult } from "./record.ts";

/** An approved call whose `started` row is durable: from here on it counts as run. */
export interface StartedCall {
  readonly approved: ApprovedCall;
  readonly startedAt: number;
  readonly idempotencyKey?: string;
}

export interface Dispatch {
  readonly slots: CallSlots;
  readonly parallel: boolean;
}

/** What a batch has left to run. */
export interface DispatchQueue {
  /** Past their fence already. */
  readonly begun: readonly StartedCall[];
  readonly fresh: readonly ApprovedCall[];
}

/**
 * When it resolves, every call that started is in its slot, and what never started is settled as not run – or somebody must
 * decide inside a delegate's frame: then its call is left started, and in a sequential batch nothing behind it has begun.
 */
export async function dispatchCalls(
  loop: ToolLoop,
  { begun, fresh }: DispatchQueue,
  { slots, parallel }: Dispatch,
): Promise<Suspended | undefined> {
  const started = new Map(begun.map((call) => [call.approved, call]));
  const inOrder = [...started.keys(), ...fresh].toSorted((one, other) => one.call.index - other.call.index);
  const queue = inOrder.values();
  let left: Suspended | undefined;
  const lane = async (): Promise<void> => {
    for (const approved of queue) {
      left = (await runCall(loop, started.get(approved) ?? approved, slots)) ?? left;
      if (left !== undefined && !parallel) return;
    }
  };
  // Lanes draw from one queue, so calls start in model order as places free up.
  const lanes = parallel ? Math.min(loop.execution.knobs.maxParallelTools, inOrder.length) : 1;
  await Promise.all(Array.from({ length: lanes }, lane));
  return left;
}

async function runCall(
  loop: ToolLoop,
  call: ApprovedCall | StartedCall,
  slots: CallSlots,
): Promise<Suspended | undefined> {
  const started = "startedAt" in call ? await startAgain(loop, call) : await startCall(loop, call, slots);
  if (started === undefined) return undefined;
  const { knobs, ports } = loop.execution;
  const { approved } = started;
  try {
    const raw = isDelegate(approved.tool) ? await loop.runDelegate(loop, started) : await executeCall(loop, started);
    if ("kind" in raw) return raw;
    slots.fill(await recordResult(loop, started, boundResult(raw, knobs.maxToolResultChars)));
  } catch (error) {
    observeCallLost(loop, approved, Math.max(0, ports.now() - started.startedAt));
    throw error;
  }
  return undefined;
}

/** Its row says so since another instance: what that row tells of this attempt must be durable all the same. */
async function startAgain(loop: ToolLoop, call: StartedCall): Promise<StartedCall> {
  await loop.journal.durable();
  observeCallStart(loop, call.approved);
  return call;
}

/** The fence: no effect before the row that says "started" is durable, and none without it. */
async function startCall(loop: ToolLoop, approved: ApprovedCall, slots: CallSlots): Promise<StartedCall | undefined> {
  const { call, tool, args, argsDigest } = approved;
  const { ports } = loop.execution;
  const notRun = (disposition: "interrupted" | "not_available" | "refused", sentence: string): undefined => {
    const reason = unrunAs(approved, disposition, sentence);
    for (const result of settleUnrun(loop, [{ call, reason }])) slots.fill(result);
  };
  if (loop.cancel.aborted) return notRun("interrupted", sentences.NOT_RUN);
  const gone = whyGone(loop, approved);
  if (gone !== undefined) return notRun("not_available", gone);
  const key = tool.idempotent ? { idempotencyKey: ports.uuid() } : {};
  const started = loop.journal.startCall({
    call,
    tool: tool.definition.name,
    definitionHash: tool.definitionHash,
    args,
    argsDigest,
    event: eventOf(loop, toolCallBody(call, { tool: tool.definition.name, toolOrigin: tool.origin, args })),
    ...key,
  });
  if (!started) {
    return loop.journal.cancelReason() !== undefined
      ? notRun("interrupted", sentences.NOT_RUN)
      : notRun("refused", sentences.approvalDoesNotFit);
  }
  await loop.journal.durable();
  observeCallStart(loop, approved);
  return { approved, startedAt: ports.now(), ...key };
}

/** A tool may be withdrawn or excluded while an earlier call of the batch runs (DI13); a search may have found nothing (CP8). */
function whyGone(loop: ToolLoop, { call, tool }: ApprovedCall): string | undefined {
  const { name } = tool.definition;
  const now = resolveTool(loop, name);
  if (now.kind !== "granted") return unavailable(name, now);
  // A hook may have led from a name that is barred by now to one that is not.
  const barred = call.tool !== name && resolveTool(loop, call.tool).kind === "not_available";
  const isSame = now.tool.definitionHash === tool.definitionHash;
  return isSame && !barred ? undefined : sentences.notAvailable(name);
}
