/** Client results: what the caller's own app says a call came to, or that it said nothing in time. Rules: DI11, DI12, TC27, TC28, BD1, BD10, DU7. */
import type { CallOutcome, Disposition, ModelCall } from "../../contracts/call.ts";
import type { DigestPort } from "../../contracts/ports.ts";
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import type { EventContext } from "../../contracts/turn-event.ts";
import { utf8 } from "../../receipts/digest.ts";
import { toolResultBody } from "./call-events.ts";
import { resultText } from "./execute-call.ts";
import * as sentences from "./runtime-sentences.ts";
import { boundResult } from "./steps/bound.ts";
import { storablePart } from "./steps/record.ts";

/** A client call as it was offered; it is never signed, whatever comes back. */
export interface OfferedCall {
  readonly call: ModelCall;
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly offeredAt: number;
  readonly now: number;
  /** Of the turn, with the iteration. */
  readonly context: EventContext;
  readonly digest: DigestPort;
  /** `max_tool_result_chars` and `max_stored_result_bytes`. */
  readonly limits: { readonly chars: number; readonly bytes: number };
}

export function settleClientResult(offered: OfferedCall, result: ToolResult): Promise<CallSettlement> {
  const data = result.data === undefined ? {} : { data: result.data };
  return settle(offered, {
    disposition: "client_result",
    success: result.success,
    text: resultText(result),
    ownWords: false,
    ...data,
  });
}

export const settleClientTimeout = (offered: OfferedCall, seconds: number): Promise<CallSettlement> =>
  settle(offered, {
    disposition: "timed_out",
    success: false,
    text: sentences.clientTimedOut(seconds),
    ownWords: true,
  });

/** The turn was cancelled while the client had the call: whether it was run is not known (DI8). */
export const withdrawClientCall = (offered: OfferedCall): Promise<CallSettlement> =>
  settle(offered, { disposition: "interrupted", success: false, text: sentences.OUTCOME_UNKNOWN, ownWords: true });

interface ClientEnd {
  readonly disposition: Extract<Disposition, "client_result" | "timed_out" | "interrupted">;
  readonly success: boolean;
  readonly text: string;
  readonly ownWords: boolean;
  readonly data?: CallOutcome["data"];
}

async function settle(offered: OfferedCall, end: ClientEnd): Promise<CallSettlement> {
  const { call, tool, context, limits, digest } = offered;
  const raw = { disposition: "failed", text: end.text, ownWords: end.ownWords } as const;
  const { shown, chars, truncated } = boundResult(raw, limits.chars);
  const bytes = utf8(end.text);
  const stored = storablePart(bytes, limits.bytes);
  const { disposition, success, data } = end;
  const durationMs = Math.max(0, offered.now - offered.offeredAt);
  const kept = data === undefined ? {} : { data };
  const outcome = { disposition, success, shown, chars, truncated, durationMs, ...kept };
  return {
    call,
    outcome,
    result: { bytes: stored, complete: stored === bytes, chars, digest: await digest(bytes) },
    event: { ...context, ...toolResultBody(call, tool, outcome) },
  };
}
