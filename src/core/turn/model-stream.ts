/** Model stream: one provider call read to its end, under the turn's cancel and the step's time limit. Rules: PV13, PV14, PV15. */
import type { ModelEvent, ModelRequest, ModelUsage } from "../../contracts/model.ts";
import type { TurnUsage } from "../../contracts/turn.ts";
import { type ToolLoop, addUsage } from "./turn-context.ts";

export type ModelEnd = Extract<ModelEvent, { type: "finish" | "fault" }>;
export type ModelPart = Exclude<ModelEvent, ModelEnd>;

/** How a provider call ended; without an `end` it was cut, by time, by cancel (which `loop.cancel` tells) or by the provider. */
export interface ModelStreamEnd {
  readonly end?: ModelEnd;
  readonly timedOut: boolean;
}

/** Gives each part to `take`, and the end to the caller. */
export async function readModelStream(
  loop: ToolLoop,
  request: ModelRequest,
  take: (part: ModelPart) => void,
): Promise<ModelStreamEnd> {
  const { ports, knobs, model } = loop.execution;
  const scope = ports.createCancelScope();
  const abort = (): void => scope.cancel();
  let timedOut = false;
  const seconds = knobs.pacing.stepTimeoutSecs;
  const stopTimer =
    seconds === null
      ? undefined
      : ports.startTimer(seconds * 1000, () => {
          timedOut = true;
          abort();
        });
  loop.cancel.addEventListener("abort", abort, { once: true });
  if (loop.cancel.aborted) abort();
  try {
    for await (const event of model.provider.stream(request, scope.signal)) {
      if (scope.signal.aborted) break;
      if (event.type === "finish" || event.type === "fault") return { end: event, timedOut };
      take(event);
    }
  } finally {
    stopTimer?.();
    loop.cancel.removeEventListener("abort", abort);
  }
  return { timedOut };
}

/** Tokens are charged to the turn whether or not the response is accepted. */
export function chargeUsage(loop: ToolLoop, used: ModelUsage): TurnUsage {
  const { price } = loop.execution.model;
  const uncached = Math.max(0, used.inputTokens - used.cachedTokens);
  const dollars = uncached * price.input + used.cachedTokens * price.cachedInput + used.outputTokens * price.output;
  const usage: TurnUsage = { ...used, costUsd: dollars / 1_000_000 };
  loop.progress.usage = addUsage(loop.progress.usage, usage);
  return usage;
}
