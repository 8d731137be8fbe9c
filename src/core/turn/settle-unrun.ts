/** Unrun calls: a call that never starts gets its disposition, its text and its event pair here. Rules: RD7, EV2–EV4, BD2. */
import type { CallAnnouncement, Disposition, ModelCall } from "../../contracts/call.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { UnrunCall } from "../../contracts/ports.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { RecordedResult } from "./call-slots.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export interface UnrunReason {
  readonly disposition: Disposition;
  readonly sentence: string;
  /** The tool, if its name led to one. */
  readonly tool?: Tool;
}

export interface UnrunSettlement {
  readonly call: ModelCall;
  readonly reason: UnrunReason;
}

/** Settles calls in call order, in one transaction, and gives what goes into their slots. */
export function settleUnrun(loop: ToolLoop, settlements: readonly UnrunSettlement[]): readonly RecordedResult[] {
  if (settlements.length === 0) return [];
  const unrun = settlements.map((settlement) => toUnrunCall(loop, settlement));
  loop.journal.settleUnrun(unrun);
  return unrun.map(({ call, outcome }) => ({ call, outcome, modelText: outcome.shown }));
}

function toUnrunCall(loop: ToolLoop, { call, reason }: UnrunSettlement): UnrunCall {
  const { disposition, sentence, tool } = reason;
  const chars = [...sentence].length;
  const outcome = { disposition, success: false, shown: sentence, chars, truncated: false, durationMs: 0 };
  const announcement: CallAnnouncement = {
    tool: tool?.definition.name ?? call.tool,
    toolOrigin: tool?.origin ?? null,
    args: call.args ?? call.argumentsText,
  };
  const result = eventOf(loop, {
    type: "tool_result",
    callId: call.callId,
    tool: announcement.tool,
    origin: call.origin,
    disposition,
    success: false,
    output: sentence,
    chars,
    truncated: false,
    durationMs: 0,
  });
  return { call, outcome, announcement, events: [toolCallEvent(loop, call, announcement), result] };
}

/** The event that announces a call, whether it is about to run or never will. */
export function toolCallEvent(
  loop: ToolLoop,
  call: ModelCall,
  announcement: CallAnnouncement,
): ReturnType<typeof eventOf> {
  const args: JsonValue = announcement.args;
  return eventOf(loop, {
    type: "tool_call",
    callId: call.callId,
    tool: announcement.tool,
    toolOrigin: announcement.toolOrigin,
    arguments: args,
    origin: call.origin,
    index: call.index,
    ...(call.providerCallId === undefined ? {} : { providerCallId: call.providerCallId }),
  });
}
