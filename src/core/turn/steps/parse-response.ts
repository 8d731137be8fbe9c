/** Step 3, parse response: what the response asks for, natively or in text, and what of it is shown. Rules: PA1–PA3, PA5, PA12, PA13, PA18, PV7, PV8, TP28, TP38, TP54, T5, RE11, SE59. */
import type { AssistantEntry } from "../../../contracts/message.ts";
import { type ParsedCall, type RawCall, keepMetadata, readCalls } from "../parse/read-calls.ts";
import { type ParsedText, parseTextCalls } from "../parse/text/parse-text-calls.ts";
import { unshownText } from "../parse/unshown-text.ts";
import { receiptsBlock } from "../receipts-block.ts";
import { type ToolLoop, eventOf } from "../turn-context.ts";
import { endsHere } from "./loop-control.ts";
import type { ModelResponse } from "./provider-call.ts";
import type { OfferedTools } from "./tool-specs.ts";

const MOST_CALLS_KEPT = 256;

export type ParsedResponse =
  | { readonly kind: "parsed"; readonly message: AssistantEntry; readonly calls: readonly ParsedCall[] }
  /** Tool protocol that nobody can use: neither shown nor stored (LC8). */
  | { readonly kind: "malformed" };

/** Fixes the calls' ids and commits the response with them, so that it is never asked for again. */
export function parseResponse(loop: ToolLoop, response: ModelResponse, offered: OfferedTools): ParsedResponse {
  const { knobs } = loop.execution;
  const read = parseTextCalls(response.text, {
    knownNames: offered.specs.map(({ name }) => name),
    strict: knobs.strictToolParsing,
    nativeCalls: response.calls.length > 0,
    detectWithoutTools: knobs.detectProtocolWithoutTools,
    withheld: response.withheld,
  });
  reportDropped(loop, read);
  if (read.issue !== undefined) {
    response.deltas.finish();
    return { kind: "malformed" };
  }
  const calls = readResponseCalls(loop, response, { offered, read });
  showRest(response, read, calls);
  if (calls.length === 0 && endsHere(loop)) response.deltas.show(receiptsBlock(loop));
  response.deltas.finish();
  loop.shared.calls += calls.length;
  const message = toAssistantEntry(loop, response, { mode: offered.mode, read, calls });
  loop.journal.commitResponse({
    step: loop.iteration,
    message,
    finishReason: response.finishReason,
    calls: calls.map(({ call }) => call),
    events: [eventOf(loop, { type: "usage", finishReason: response.finishReason, ...response.usage })],
  });
  return { kind: "parsed", message, calls };
}

interface Reading {
  readonly offered: OfferedTools;
  readonly read: ParsedText;
}

function readResponseCalls(loop: ToolLoop, response: ModelResponse, { offered, read }: Reading): readonly ParsedCall[] {
  const { identity, shared, usedWireIds } = loop;
  const realNames = new Map(offered.specs.map((spec) => [spec.name, spec.tool]));
  const written: readonly RawCall[] = read.calls.map((call) => ({ type: "call", ...call }));
  const calls = readCalls(withoutFlood(loop, response.calls.length > 0 ? response.calls : written), {
    origin: response.calls.length > 0 ? "native" : "text",
    turn: identity.turn,
    nextNumber: shared.calls + 1,
    truncated: response.finishReason === "length",
    realName: (name) => realNames.get(name) ?? name,
    usedWireIds,
  });
  for (const { call } of calls) usedWireIds.add(call.wireId);
  return calls;
}

/** What is over the limit is refused call by call, but not without end: nobody needs a thousand refusals. */
function withoutFlood({ execution: { ports }, identity }: ToolLoop, calls: readonly RawCall[]): readonly RawCall[] {
  const kept = calls.slice(0, MOST_CALLS_KEPT);
  const dropped = calls.length - kept.length;
  if (dropped > 0) ports.log("warn", "calls_dropped", { turn: identity.turn, kept: kept.length, dropped });
  return kept;
}

/** A text that set out to be a call and said none is the operator's to know of, by its length alone (TP28, TP38). */
function reportDropped({ execution: { ports }, identity }: ToolLoop, { lost }: ParsedText): void {
  for (const chars of lost.slice(0, MOST_CALLS_KEPT)) {
    ports.log("warn", "text_call_dropped", { turn: identity.turn, chars });
  }
}

/** Text around calls that were written in text stays unseen; all else goes out once, with the step that accepts it. */
function showRest({ deltas }: ModelResponse, read: ParsedText, calls: readonly ParsedCall[]): void {
  const inText = calls.some(({ call }) => call.origin === "text");
  if (!inText) deltas.show(unshownText(read.visibleText, deltas.shown));
}

interface Said {
  readonly mode: OfferedTools["mode"];
  readonly read: ParsedText;
  readonly calls: readonly ParsedCall[];
}

/** A text-mode model is told its own words again, calls and all; elsewhere the calls stand beside what is left over (HI4). */
function toAssistantEntry(loop: ToolLoop, response: ModelResponse, { mode, read, calls }: Said): AssistantEntry {
  const inText = calls.some(({ call }) => call.origin === "text");
  const visible = read.visibleText.trim();
  const keepsProtocol = inText && mode === "text";
  return {
    kind: "assistant",
    turn: loop.identity.turn,
    text: keepsProtocol ? read.text.trim() : visible,
    ...(keepsProtocol ? { visibleText: visible } : {}),
    calls: calls.map(({ call }) => ({
      callId: call.callId,
      wireId: call.wireId,
      tool: call.tool,
      // A faulty text goes back as {}, and so does a blank one; any other to the letter (HI6).
      argumentsText: call.args === undefined || call.argumentsText.trim() === "" ? "{}" : call.argumentsText,
      ...(call.providerMetadata === undefined ? {} : { providerMetadata: call.providerMetadata }),
    })),
    ...(response.reasoning === "" ? {} : { reasoning: response.reasoning }),
    ...keepMetadata(response.providerMetadata),
  };
}
