/** Model stream: one provider call read to its end, under the turn's cancel, its time limits and its size. Rules: PV2, PV13, PV14, PV15, EV11, SE59, SE81. */
import type { ModelEvent, ModelRequest, ModelUsage, ProviderFault } from "../../contracts/model.ts";
import type { ChargeEnd } from "../../contracts/ports.ts";
import { type TurnUsage, addUsage } from "../../contracts/turn.ts";
import { startCallLimits } from "./call-limits.ts";
import { passCostGate } from "./cost-gate.ts";
import { observe } from "./observe.ts";
import { createResponseLimits, tooLargeFault } from "./response-limits.ts";
import type { ToolLoop } from "./turn-context.ts";

export type ModelEnd = Extract<ModelEvent, { type: "finish" | "fault" }>;
export type ModelPart = Exclude<ModelEvent, ModelEnd>;

/** How a provider call ended; without an `end` it was cut, by cancel (which `loop.cancel` tells) or by the provider. */
export interface ModelStreamEnd {
  readonly end?: ModelEnd;
  /** The budget had no room for it: nothing was asked, and the frame ends. */
  readonly overBudget?: true;
}

/** Gives each part to `take`, and the end to the caller; the observer is told of the request and of how it ended. */
export async function readModelStream(
  loop: ToolLoop,
  request: ModelRequest,
  take: (part: ModelPart) => void,
): Promise<ModelStreamEnd> {
  const passed = passCostGate(loop, request);
  const gate = passed instanceof Promise ? await passed : passed;
  if (gate === undefined) return { overBudget: true };
  if (loop.cancel.aborted) {
    gate.close("unsent");
    return {};
  }
  const { iteration } = loop;
  const provider = loop.model.provider.name;
  observe(loop, () => ({ type: "llm_request", iteration, provider, model: request.model }));
  let end: ModelEnd | undefined;
  let said = false;
  let ran = false;
  try {
    const read = await readParts(loop, request, (part) => {
      said ||= part.type === "call" || (part.type === "text" && part.text.trim() !== "");
      ran ||= part.type === "provider_tool";
      take(part);
    });
    end = read.end;
    return read;
  } finally {
    gate.close(chargeOf(loop, end, said || ran));
    if (mayHaveSpent(end)) loop.shared.usage = { ...loop.shared.usage, exact: false };
    const whole = end?.type === "finish" ? { usage: toUsage(loop, end.usage) } : undefined;
    observe(loop, () => ({ type: "llm_response", iteration, accepted: whole !== undefined && said, ...whole }));
  }
}

/** What was asked for is paid for, but nobody said how much. */
function mayHaveSpent(end: ModelEnd | undefined): boolean {
  if (end?.type === "finish") return false;
  return end?.fault.kind !== "egress" && end?.fault.kind !== "not_configured";
}

/** What the tenant is told. A count that leaves something out is none; where no answer began, none is billed. */
function chargeOf(loop: ToolLoop, end: ModelEnd | undefined, begun: boolean): ChargeEnd {
  if (end?.type === "finish") return end.usage.exact ? { costUsd: toUsage(loop, end.usage).costUsd } : "unknown";
  const unbilled = end !== undefined && !begun && unbilledFaults.has(end.fault.kind);
  return unbilled ? "unsent" : "unknown";
}

const unbilledFaults: ReadonlySet<ProviderFault["kind"]> = new Set([
  "egress",
  "not_configured",
  "refused",
  "unreachable",
  "context_overflow",
]);

async function readParts(
  loop: ToolLoop,
  request: ModelRequest,
  take: (part: ModelPart) => void,
): Promise<ModelStreamEnd> {
  const { ports } = loop.execution;
  const scope = ports.createCancelScope();
  const abort = (): void => scope.cancel();
  const time = startCallLimits(loop.execution, abort);
  const size = createResponseLimits();
  loop.cancel.addEventListener("abort", abort, { once: true });
  if (loop.cancel.aborted) abort();
  try {
    for await (const event of loop.model.provider.stream(request, scope.signal)) {
      if (scope.signal.aborted) break;
      time.noteProgress();
      if (event.type === "finish" || event.type === "fault") return { end: event };
      const admitted = size.admit(event);
      if (admitted.kind === "too_large") return { end: tooLargeFault };
      if (admitted.part !== undefined) take(admitted.part);
    }
  } finally {
    time.stop();
    loop.cancel.removeEventListener("abort", abort);
  }
  const limit = time.passed();
  return limit === undefined ? {} : { end: { type: "fault", fault: { kind: "timeout", message: limit } } };
}

/** Tokens are charged to the turn whether or not the response is accepted. */
export function chargeUsage(loop: ToolLoop, used: ModelUsage): TurnUsage {
  const usage = toUsage(loop, used);
  loop.shared.usage = addUsage(loop.shared.usage, usage);
  return usage;
}

function toUsage({ model }: ToolLoop, used: ModelUsage): TurnUsage {
  const { price } = model;
  const uncached = Math.max(0, used.inputTokens - used.cachedTokens);
  const dollars = uncached * price.input + used.cachedTokens * price.cachedInput + used.outputTokens * price.output;
  return { ...used, costUsd: dollars / 1_000_000 };
}
