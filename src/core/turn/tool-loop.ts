/** The run sheet: a turn's model–tool loop, step by step, read from top to bottom. Rules: RX12. */
import type { ModelCall } from "../../contracts/call.ts";
import { buildProviderPayload } from "../history/build-provider-payload.ts";
import { CallSlots, type FilledSlots } from "./call-slots.ts";
import type { LoopOutcome } from "./outcome.ts";
import type { ParsedCall } from "./parse/native-calls.ts";
import { type UnrunSettlement, settleUnrun } from "./settle-unrun.ts";
import { appendRound } from "./steps/append.ts";
import { type ApprovedCall, passGate } from "./steps/approval-gate.ts";
import { prepareCalls } from "./steps/call-prep.ts";
import { dispatchCalls } from "./steps/dispatch.ts";
import { endWithText, enterIteration } from "./steps/loop-control.ts";
import { parseResponse } from "./steps/parse-response.ts";
import { callProvider } from "./steps/provider-call.ts";
import { buildToolSpecs } from "./steps/tool-specs.ts";
import type { ToolLoop } from "./turn-context.ts";

/** Runs iterations until one of them ends the turn. Every expected end is an outcome; what is thrown is a bug. */
export async function runToolLoop(loop: ToolLoop): Promise<LoopOutcome> {
  for (;;) {
    const end = await enterIteration(loop);
    if (end !== undefined) return end;

    const specs = buildToolSpecs(loop);
    const answer = await callProvider(loop, buildProviderPayload(loop, loop.history, specs));
    if (answer.kind === "ended") return answer.outcome;

    const { message, calls } = parseResponse(loop, answer.response, specs);
    if (calls.length === 0) return endWithText(message, answer.response.finishReason);

    appendRound(loop, message, await runBatch(loop, calls));
  }
}

/** One batch: all of it is prepared and judged before any of it runs, and each call ends with exactly one result. */
async function runBatch(loop: ToolLoop, calls: readonly ParsedCall[]): Promise<FilledSlots> {
  const slots = new CallSlots(calls.length);
  const { approved, settled } = await judgeBatch(loop, calls);
  for (const result of settleUnrun(loop, settled)) slots.fill(result);
  await dispatchCalls(loop, approved, slots);
  return slots.complete();
}

interface JudgedBatch {
  readonly approved: readonly ApprovedCall[];
  readonly settled: readonly UnrunSettlement[];
}

async function judgeBatch(loop: ToolLoop, calls: readonly ParsedCall[]): Promise<JudgedBatch> {
  const approved: ApprovedCall[] = [];
  const settled: UnrunSettlement[] = [];
  for (const preparation of await prepareCalls(loop, calls)) {
    const decision = preparation.kind === "prepared" ? await passGate(loop, preparation.prepared) : preparation;
    if (decision.kind === "approved") approved.push(decision.approved);
    else settled.push({ call: callOf(decision), reason: decision.reason });
  }
  return { approved, settled };
}

const callOf = (decision: { call: ModelCall } | { prepared: { call: ModelCall } }): ModelCall =>
  "call" in decision ? decision.call : decision.prepared.call;
