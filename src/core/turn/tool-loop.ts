/** The run sheet: a turn's model–tool loop, step by step, read from top to bottom. Rules: RX12. */
import { buildProviderPayload } from "../history/build-provider-payload.ts";
import { type OpenBatch, closeBatch, openBatch } from "./open-batch.ts";
import type { EndedOutcome, LoopOutcome } from "./outcome.ts";
import { endWithText, enterIteration, rejectMalformed } from "./steps/loop-control.ts";
import { parseResponse } from "./steps/parse-response.ts";
import { callProvider } from "./steps/provider-call.ts";
import { offerTools } from "./steps/tool-specs.ts";
import type { ToolLoop } from "./turn-context.ts";

/**
 * Runs iterations until one of them ends the turn or must wait for somebody. A suspended turn comes back with the batch it left
 * open, and goes on at the gate. Every expected end is an outcome; what is thrown is a bug.
 */
export async function runToolLoop(loop: ToolLoop, resumed?: OpenBatch): Promise<LoopOutcome> {
  let batch = resumed;
  for (;;) {
    const step = batch === undefined ? await runIteration(loop) : { kind: "batch" as const, batch };
    if (step.kind === "ended") return step.outcome;
    const end = step.kind === "batch" ? await closeBatch(loop, step.batch) : undefined;
    if (end !== undefined) return end;
    batch = undefined;
  }
}

type Iteration =
  | { readonly kind: "ended"; readonly outcome: LoopOutcome }
  | { readonly kind: "batch"; readonly batch: OpenBatch }
  | { readonly kind: "again" };

/** From the specs to a judged batch, or to an end. */
async function runIteration(loop: ToolLoop): Promise<Iteration> {
  const capped = await enterIteration(loop);
  if (capped !== undefined) return { kind: "ended", outcome: capped };

  const offered = offerTools(loop);
  const answer = await callProvider(loop, buildProviderPayload(loop, loop.history, offered), offered);
  if (answer.kind === "ended") return answer;
  if (answer.kind === "trimmed") return { kind: "again" };

  const parsed = parseResponse(loop, answer.response, offered);
  if (parsed.kind === "malformed") return endOrAgain(rejectMalformed(loop));
  if (parsed.calls.length === 0) {
    return endOrAgain(endWithText(loop, parsed.message, answer.response.finishReason));
  }

  const opened = await openBatch(loop, parsed);
  return "kind" in opened ? { kind: "ended", outcome: opened } : { kind: "batch", batch: opened };
}

const endOrAgain = (end: EndedOutcome | undefined): Iteration =>
  end === undefined ? { kind: "again" } : { kind: "ended", outcome: end };
