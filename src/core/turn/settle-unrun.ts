/** Unrun calls: a call that never starts gets its disposition, its text and its event pair here. Rules: RD7, EV3, EV4, BD2. */
import type { CallAnnouncement, CallOutcome, Disposition, LoopCall, ModelCall } from "../../contracts/call.ts";
import type { JsonObject } from "../../contracts/json.ts";
import type { UnrunCall } from "../../contracts/turn-journal.ts";
import type { Tool } from "../../contracts/tool.ts";
import { pairOfEvents } from "./call-events.ts";
import type { RecordedResult } from "./call-slots.ts";
import { countCodePoints } from "./steps/bound.ts";
import type { PreparedCall } from "./steps/call-prep.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export interface UnrunReason {
  readonly disposition: Disposition;
  readonly sentence: string;
  /** The tool, if its name led to one. */
  readonly tool?: Tool;
  /** As prepared, when preparation got that far (EV4). */
  readonly args?: JsonObject;
  /** Set when the loop detector kept the call from running (LC11). */
  readonly blocked?: LoopCall;
}

/** Why a call that was prepared will not run all the same. */
export const unrunAs = (
  { tool, args }: Pick<PreparedCall, "tool" | "args">,
  disposition: Disposition,
  sentence: string,
): UnrunReason => ({ disposition, sentence, tool, args });

export interface UnrunSettlement {
  readonly call: ModelCall;
  readonly reason: UnrunReason;
}

/** Settles calls in call order, in one transaction, and gives what goes into their slots. */
export function settleUnrun(loop: ToolLoop, settlements: readonly UnrunSettlement[]): readonly RecordedResult[] {
  if (settlements.length === 0) return [];
  const unrun = settlements.map((settlement) => toUnrunCall(loop, settlement));
  loop.journal.settleUnrun(unrun);
  return unrun.map(({ call, outcome, blocked }) => {
    const result = { call, outcome, modelText: outcome.shown };
    return blocked === undefined ? result : { ...result, compared: blocked };
  });
}

/** What a call comes to that has no result of its own: a sentence of the runtime, in no time. */
export const outcomeWithoutResult = (disposition: Disposition, sentence: string): CallOutcome => ({
  disposition,
  success: false,
  shown: sentence,
  chars: countCodePoints(sentence),
  truncated: false,
  durationMs: 0,
});

export function toUnrunCall(loop: ToolLoop, { call, reason }: UnrunSettlement): UnrunCall {
  const { disposition, sentence, tool, args = call.args, blocked } = reason;
  const outcome = outcomeWithoutResult(disposition, sentence);
  const announcement: CallAnnouncement = {
    tool: tool?.definition.name ?? call.tool,
    toolOrigin: tool?.origin ?? null,
    args: args ?? call.argumentsText,
  };
  const [opened, closed] = pairOfEvents(call, announcement, outcome);
  const events = [eventOf(loop, opened), eventOf(loop, closed)] as const;
  return blocked === undefined ? { call, outcome, events } : { call, outcome, blocked, events };
}
