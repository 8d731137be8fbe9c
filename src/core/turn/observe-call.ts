/** What the observer is told of a call that ran: its start, its end, what bounding and storing left of its result. Rules: RD3, RD4, EV14, RE28. */
import type { CallOutcome, StoredResult } from "../../contracts/call.ts";
import type { JsonValue } from "../../contracts/json.ts";
import { observe } from "./observe.ts";
import type { ApprovedCall } from "./steps/approval-gate.ts";
import { boundText, countCodePoints } from "./steps/bound.ts";
import type { ToolLoop } from "./turn-context.ts";

const FIELD_CHARS = 4096;

export function observeCallStart(loop: ToolLoop, approved: ApprovedCall): void {
  observe(loop, () => ({ type: "tool_call_start", ...describeCall(loop, approved) }));
}

export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly stored: StoredResult;
}

export function observeCallEnd(loop: ToolLoop, approved: ApprovedCall, { outcome, stored }: EndedCall): void {
  const { disposition, success, durationMs, shown, truncated, chars } = outcome;
  const { callId } = approved.call;
  observe(loop, () => ({
    type: "tool_call",
    ...describeCall(loop, approved),
    durationMs,
    success,
    disposition,
    result: bound(loop.execution.redactor.text(shown)),
  }));
  if (truncated) {
    observe(loop, () => ({ type: "result_bounded", callId, charsBefore: chars, charsAfter: countCodePoints(shown) }));
  }
  if (!stored.complete) {
    observe(loop, () => ({ type: "result_incomplete", callId, storedBytes: stored.bytes.length }));
  }
}

/** A bug came between start and record. What became of the call is for recovery to find out; its start has its end here. */
export function observeCallLost(loop: ToolLoop, approved: ApprovedCall, durationMs: number): void {
  const end = { durationMs, success: false, disposition: "outcome_unknown", result: "" } as const;
  observe(loop, () => ({ type: "tool_call", ...describeCall(loop, approved), ...end }));
}

function describeCall({ execution: { redactor } }: ToolLoop, { call, tool, args }: ApprovedCall) {
  const { callId, providerCallId } = call;
  return {
    tool: tool.definition.name,
    callId,
    arguments: boundValue(redactor.value(args)),
    ...(providerCallId === undefined ? {} : { providerCallId }),
  };
}

/** What is bounded here has been redacted whole: a cut in the middle of a secret would leave half of it. */
const bound = (text: string): string => boundText(text, FIELD_CHARS).text;

/** As it is, or, when it is too long for a field, as the start and the end of its JSON. */
function boundValue(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return text.length <= FIELD_CHARS ? value : bound(text);
}
