/** Step 6, dispatch: approved calls start in model order, each behind its durable fence, and every slot is filled. Rules: DI4–DI6, DI8, DI10, DU14. */
import type { CallSlots } from "../call-slots.ts";
import { executeCall } from "../execute-call.ts";
import * as sentences from "../runtime-sentences.ts";
import { settleUnrun, toolCallEvent } from "../settle-unrun.ts";
import type { ToolLoop } from "../turn-context.ts";
import type { ApprovedCall } from "./approval-gate.ts";
import { boundResult } from "./bound.ts";
import { recordResult } from "./record.ts";

/** An approved call whose `started` row is durable: from here on it counts as run. */
export interface StartedCall {
  readonly approved: ApprovedCall;
  readonly startedAt: number;
  readonly idempotencyKey?: string;
}

export async function dispatchCalls(loop: ToolLoop, calls: readonly ApprovedCall[], slots: CallSlots): Promise<void> {
  for (const approved of calls) {
    const started = loop.cancel.aborted ? undefined : await startCall(loop, approved);
    if (started === undefined) continue;
    const raw = await executeCall(loop, started);
    slots.fill(await recordResult(loop, started, boundResult(raw, loop.execution.knobs.maxToolResultChars)));
  }
  const notStarted = calls.filter(({ call }) => !slots.isFilled(call.index));
  const reason = { disposition: "interrupted", sentence: sentences.NOT_RUN } as const;
  const settled = settleUnrun(
    loop,
    notStarted.map(({ call, tool }) => ({ call, reason: { ...reason, tool } })),
  );
  for (const result of settled) slots.fill(result);
}

/** The fence: no effect before the row that says "started" is durable, and none without it. */
async function startCall(loop: ToolLoop, approved: ApprovedCall): Promise<StartedCall | undefined> {
  const { call, tool, args, argsDigest } = approved;
  const { ports } = loop.execution;
  const key = tool.idempotent ? { idempotencyKey: ports.uuid() } : {};
  const announcement = { tool: tool.definition.name, toolOrigin: tool.origin, args };
  const started = loop.journal.startCall({
    call,
    definitionHash: tool.definitionHash,
    args,
    argsDigest,
    event: toolCallEvent(loop, call, announcement),
    ...key,
  });
  if (!started) return undefined;
  await loop.journal.durable();
  return { approved, startedAt: ports.now(), ...key };
}
