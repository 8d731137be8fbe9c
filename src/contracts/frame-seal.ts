/** FrameSeal: how a frame, and each call that it leaves open, is ended from rows alone. Rules: DU10, EV2–EV4. */
import type { CallOutcome, CallState, ModelCall, PreparedRow } from "./call.ts";
import type { TurnEventBody } from "./turn-event.ts";

/** A call that is closed without its loop. */
export interface OpenCall {
  readonly call: ModelCall;
  readonly state: CallState;
  /** Absent when preparation never got to its row. */
  readonly prepared?: Pick<PreparedRow, "tool" | "args">;
}

export interface OpenCallEnds {
  /** What becomes of a call that was found open, and what is said of it: its `tool_result`, with its `tool_call` unless it had started. */
  readonly endCall: (call: OpenCall) => { readonly outcome: CallOutcome; readonly events: readonly TurnEventBody[] };
  /** The text of a result as history holds it, receipt line included. */
  readonly renderResult: (outcome: CallOutcome) => string;
}
export interface FrameSeal extends OpenCallEnds {
  /** What the model is told behind text that was cut off (PV10). */
  readonly cutNote: string;
}
