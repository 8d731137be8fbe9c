/** A call that was asked about and will not run: its disposition and its words, by how the approval ended. Rules: AP6, AP8, AP15, AP16, EV7, SE62. */
import type { Approval, DecisionRecord } from "../../contracts/approval.ts";
import type { CallOutcome, ModelCall } from "../../contracts/call.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { UnrunCall } from "../../contracts/turn-journal.ts";
import type { EventContext } from "../../contracts/turn-event.ts";
import { makeInert } from "../../policy/inert.ts";
import { pairOfEvents } from "./call-events.ts";
import * as sentences from "./runtime-sentences.ts";
import { outcomeWithoutResult } from "./settle-unrun.ts";
import { boundText } from "./steps/bound.ts";

export interface AskedCall {
  /** As it ended; `decided` says what a person said. */
  readonly approval: Approval;
  readonly call: ModelCall;
  readonly args: JsonValue;
  /** Of the turn, with the iteration that the call belongs to. */
  readonly context: EventContext;
  /** `max_tool_result_chars`. */
  readonly limit: number;
}

export function endAskedCall(asked: AskedCall): UnrunCall {
  const { approval, call, args, context } = asked;
  const outcome = outcomeOf(asked);
  const { tool, toolOrigin } = approval;
  const [opened, closed] = pairOfEvents(call, { tool, toolOrigin, args }, outcome);
  return {
    call,
    outcome,
    events: [
      { ...context, ...opened },
      { ...context, ...closed },
    ],
  };
}

function outcomeOf({ approval: { state, decided }, limit }: AskedCall): CallOutcome {
  switch (state) {
    case "decided":
      if (decided === undefined) throw new Error("an approval was decided without a decision");
      return ofDecision(decided, limit);
    case "unreachable":
      return outcomeWithoutResult("unavailable", sentences.noApprover);
    case "expired":
      return outcomeWithoutResult("expired", sentences.approvalExpired);
    case "void":
      return outcomeWithoutResult("refused", sentences.approvalDoesNotFit);
    case "cancelled":
    case "superseded":
    case "pending":
      return outcomeWithoutResult("cancelled", sentences.cancelledWhileAsking);
    default:
      return state satisfies never;
  }
}

/** A note and a replacement are cleaned before they are stored; they are bounded here. */
function ofDecision({ decision, note, replacement }: DecisionRecord, limit: number): CallOutcome {
  if (decision !== "replace") return outcomeWithoutResult("denied", sentences.deniedByPerson(note));
  const { text, chars, truncated } = boundText(makeInert(replacement ?? ""), limit);
  return { ...outcomeWithoutResult("replaced", sentences.replacedBy(text)), success: true, chars, truncated };
}
