/** Cost gate: what a model call can cost is taken from the tenant's budget before it is announced. Rules: PV2, LC30, G17, SE80, SE81, SE85. */
import type { Charge, ChargeEnd, CostMeter } from "../../contracts/ports.ts";
import type { ModelRequest } from "../../contracts/model.ts";
import type { ModelPrice } from "../execution/model-binding.ts";
import { estimateHistory, estimateText } from "../history/estimate-size.ts";
import type { ToolLoop } from "./turn-context.ts";

/** Calls in a row that may go ahead while nobody can say whether there is room. */
const MOST_UNMETERED = 3;

/** A call that may be made; what it came to is told once, when it is over. */
export interface OpenGate {
  close(end: ChargeEnd): void;
}
const free: OpenGate = { close: () => undefined };

/** Undefined: there is no room in the budget, and the call is not made. At once when nothing is metered. */
export function passCostGate(
  loop: ToolLoop,
  request: ModelRequest,
): OpenGate | undefined | Promise<OpenGate | undefined> {
  const { meter } = loop.execution;
  if (loop.shared.overBudget) return undefined;
  if (meter === undefined || isFree(loop.model.price)) return free;
  return reserve(loop, meter, worstCase(loop, request));
}

const isFree = ({ input, cachedInput, output }: ModelPrice): boolean => input + cachedInput + output === 0;

async function reserve(loop: ToolLoop, meter: CostMeter, estimateUsd: number): Promise<OpenGate | undefined> {
  const { execution, identity, journal, iteration, shared } = loop;
  const reservation = `${identity.turn}/${iteration}/${execution.ports.uuid()}`;
  const charge: Charge = { reservation, agent: execution.agent.alias, estimateUsd };
  if (!mayGoAhead(loop, await meter.reserve(charge))) {
    // Whoever shares this turn's budget stops with it, also where a smaller call would still find room.
    shared.overBudget = true;
    return undefined;
  }
  journal.openCharge(charge);
  return { close: (end) => journal.closeCharge(reservation, end) };
}

function mayGoAhead({ shared, execution, identity }: ToolLoop, answer: "granted" | "full" | "unreachable"): boolean {
  if (answer !== "unreachable") {
    shared.unmetered = 0;
    return answer === "granted";
  }
  shared.unmetered += 1;
  execution.ports.log("warn", "meter_unreachable", { turn: identity.turn, in_a_row: shared.unmetered });
  return shared.unmetered <= MOST_UNMETERED;
}

/** All of the input at its highest price, as estimated or as the provider counted it last, and as much output as may come. */
function worstCase({ model, history, reportedTokens }: ToolLoop, request: ModelRequest): number {
  const { price } = model;
  const specs = request.tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  );
  const estimated = estimateHistory(history) + estimateText(request.system + specs.join(""));
  const input = Math.max(estimated, reportedTokens) * Math.max(price.input, price.cachedInput);
  return (input + request.maxOutputTokens * price.output) / 1_000_000;
}
