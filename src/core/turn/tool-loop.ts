/** The run sheet: a frame's model–tool loop, step by step, read from top to bottom. Rules: RX12. */
import type { AssistantEntry } from "../../contracts/message.ts";
import { buildProviderPayload } from "../history/build-provider-payload.ts";
import { endStopped } from "./end-stopped.ts";
import { type OpenBatch, closeBatch, openBatch, reopenBatch } from "./open-batch.ts";
import { type LoopOutcome, suspendedHere } from "./outcome.ts";
import type { ParsedCall } from "./parse/read-calls.ts";
import { askAgain, endWithText, enterIteration, rejectMalformed } from "./steps/loop-control.ts";
import { parseResponse } from "./steps/parse-response.ts";
import { callProvider } from "./steps/provider-call.ts";
import { offerTools } from "./steps/tool-specs.ts";
import type { GuardStop, ToolLoop } from "./turn-context.ts";

/** Where a frame goes on. What was taken up from rows may stand in the middle of an iteration. */
export type LoopStart =
  | { readonly kind: "next" }
  /** The request of this iteration was cut off: it is made again, and the iteration counts once. */
  | { readonly kind: "ask"; readonly attempt: number }
  | { readonly kind: "answer"; readonly message: AssistantEntry; readonly finishReason: string }
  /** At the gate. `unprepared`: calls of the batch that nothing is stored of but what the model asked for. */
  | { readonly kind: "batch"; readonly batch: OpenBatch; readonly unprepared: readonly ParsedCall[] }
  /** Somebody is still to decide, or to answer. */
  | { readonly kind: "waits" }
  | { readonly kind: "stop"; readonly stop: GuardStop };

export const atTheBeginning: LoopStart = { kind: "next" };

/**
 * Runs iterations until one of them ends the frame or must wait for somebody. Every expected end is an outcome; what is thrown is
 * a bug.
 */
export async function runToolLoop(loop: ToolLoop, start: LoopStart = atTheBeginning): Promise<LoopOutcome> {
  let at: LoopStart = start;
  for (;;) {
    const outcome = await runFrom(loop, at);
    if (outcome !== undefined) return outcome;
    at = atTheBeginning;
  }
}

/** To the end of an iteration; with an outcome, to the end of the frame. */
async function runFrom(loop: ToolLoop, start: LoopStart): Promise<LoopOutcome | undefined> {
  switch (start.kind) {
    case "next":
      return (await enterIteration(loop)) ?? (await askModel(loop));
    case "ask":
      return askAgain(loop, start.attempt) ?? (await askModel(loop));
    case "answer":
      return endWithText(loop, start.message, start.finishReason);
    case "batch":
      return await closeBatch(loop, await reopenBatch(loop, start));
    case "waits":
      return suspendedHere;
    case "stop":
      return await endStopped(loop, start.stop);
    default:
      return start satisfies never;
  }
}

/** From the specs to a whole round in history, or to an end. */
async function askModel(loop: ToolLoop): Promise<LoopOutcome | undefined> {
  const offered = offerTools(loop);
  const answer = await callProvider(loop, buildProviderPayload(loop, loop.history, offered), offered);
  if (answer.kind === "ended") return answer.outcome;
  if (answer.kind === "trimmed") return undefined;
  if (answer.kind === "refitted") return await askModel(loop);

  const parsed = parseResponse(loop, answer.response, offered);
  if (parsed.kind === "malformed") return rejectMalformed(loop);
  if (parsed.calls.length === 0) return endWithText(loop, parsed.message, answer.response.finishReason);
  return await closeBatch(loop, await openBatch(loop, parsed));
}
