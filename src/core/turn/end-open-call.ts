/** A call that its turn left open: what it comes to, and what is said of it, once the turn is closed from its rows. Rules: DU10, EV2–EV4. */
import type { CallOutcome } from "../../contracts/call.ts";
import type { FrameSeal, OpenCall } from "../../contracts/frame-seal.ts";
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import { pairOfEvents, toolResultBody } from "./call-events.ts";
import { withReceiptLine } from "../../receipts/format.ts";
import { NOT_RUN, OUTCOME_UNKNOWN, textWasCut } from "./runtime-sentences.ts";
import { outcomeWithoutResult } from "./settle-unrun.ts";

/** A started call has been announced already, and nobody knows how long it took. */
export function endOpenCall({ call, state, prepared }: OpenCall): {
  readonly outcome: CallOutcome;
  readonly events: readonly TurnEventBody[];
} {
  const tool = prepared?.tool ?? call.tool;
  if (state === "started") {
    const outcome = outcomeWithoutResult("outcome_unknown", OUTCOME_UNKNOWN);
    return { outcome, events: [toolResultBody(call, tool, outcome)] };
  }
  const outcome = outcomeWithoutResult("interrupted", NOT_RUN);
  const args = prepared?.args ?? call.args ?? call.argumentsText;
  return { outcome, events: pairOfEvents(call, { tool, toolOrigin: null, args }, outcome) };
}

/** How whatever is closed from its rows ends, a turn or a frame of one. */
export const frameSeal: FrameSeal = { endCall: endOpenCall, renderResult: withReceiptLine, cutNote: textWasCut };
