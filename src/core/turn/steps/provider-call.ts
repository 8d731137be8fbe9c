/** Step 2, provider call: one model request, its text streamed as it comes, its end judged. Rules: PV1, PV4, PV8, PV10–PV16, PA3. */
import type { ModelEvent, ModelRequest, ProviderFault } from "../../../contracts/model.ts";
import type { JsonObject } from "../../../contracts/json.ts";
import type { TurnUsage } from "../../../contracts/turn.ts";
import { type ModelStreamEnd, chargeUsage, readModelStream } from "../model-stream.ts";
import type { LoopOutcome } from "../outcome.ts";
import { keepShownText } from "../shown-text.ts";
import { TextDeltas } from "../text-deltas.ts";
import { type ToolLoop, eventOf } from "../turn-context.ts";
import { wellFormedChunks } from "../well-formed-chunks.ts";

export type RawCall = Extract<ModelEvent, { type: "call" }>;

/** An accepted response: it has text or calls, and it was not cut. */
export interface ModelResponse {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly RawCall[];
  readonly finishReason: string;
  readonly usage: TurnUsage;
  readonly providerMetadata?: JsonObject;
}

export type ProviderCallEnd =
  | { readonly kind: "response"; readonly response: ModelResponse }
  | { readonly kind: "ended"; readonly outcome: LoopOutcome };

/** What one attempt gave, before anyone judges it. */
interface Attempt extends ModelStreamEnd {
  readonly deltas: TextDeltas;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly RawCall[];
}

export async function callProvider(loop: ToolLoop, request: ModelRequest): Promise<ProviderCallEnd> {
  const first = await attempt(loop, request);
  if (!mayTryPlain(loop, request, first)) return judge(loop, first);
  first.deltas.flush();
  // Rejected as empty, and paid for all the same (PV15).
  if (first.end?.type === "finish") chargeUsage(loop, first.end.usage);
  return judge(loop, await attempt(loop, { ...request, stream: false }));
}

/** Before anything visible was shown, a stream that failed or came to nothing is asked once more, whole (PV10, PV11). */
function mayTryPlain(loop: ToolLoop, request: ModelRequest, { end, deltas, calls, timedOut }: Attempt): boolean {
  if (!request.stream || loop.cancel.aborted || timedOut || deltas.shown.trim() !== "") return false;
  if (end?.type === "finish") return calls.length === 0;
  const kind = end?.fault.kind ?? "cut";
  return kind === "cut" || kind === "refused" || kind === "unreachable";
}

async function attempt(loop: ToolLoop, request: ModelRequest): Promise<Attempt> {
  const deltas = new TextDeltas(loop, `msg_${loop.identity.turn}_${loop.progress.iteration}`);
  const calls: RawCall[] = [];
  const chunks = wellFormedChunks();
  let text = "";
  let reasoning = "";
  const addText = (more: string): void => {
    text += more;
    if (request.stream) deltas.push(more);
  };
  try {
    const end = await readModelStream(loop, request, (part) => {
      if (part.type === "text") addText(chunks.next(part.text));
      else if (part.type === "reasoning") reasoning += part.text;
      else if (part.type === "retry") announceRetry(loop, part);
      // Without tools on offer a native call is noise: the text is the answer (PA3).
      else if (request.tools.length > 0) calls.push(part);
    });
    addText(chunks.end());
    return { ...end, deltas, text, reasoning: reasoning.toWellFormed(), calls };
  } catch (error) {
    // A provider never throws, so this is a bug; its turn is sealed, and no timer may write behind that.
    deltas.flush();
    throw error;
  }
}

function announceRetry(loop: ToolLoop, retry: Extract<ModelEvent, { type: "retry" }>): void {
  loop.journal.appendEvents([eventOf(loop, { ...retry, type: "provider_retry" })]);
}

function judge(loop: ToolLoop, tried: Attempt): ProviderCallEnd {
  const { deltas, end, text, reasoning, calls } = tried;
  if (loop.cancel.aborted) {
    deltas.flush();
    return ended({ kind: "cancelled", reason: "cancel", ...keepShownText(loop, deltas.shown, "interrupted") });
  }
  if (end?.type !== "finish") {
    deltas.flush();
    const fault = faultOf(tried);
    reportFault(loop, fault);
    return ended({ kind: "failed", reason: reasonOf(fault), ...keepShownText(loop, deltas.shown, "cut") });
  }
  const usage = chargeUsage(loop, end.usage);
  if (text.trim() === "" && calls.length === 0) {
    deltas.flush();
    return ended({ kind: "failed", reason: "empty_response", ...keepShownText(loop, deltas.shown, "cut") });
  }
  // Text that was not streamed live goes out now, once, with the step that accepts the response.
  deltas.push(text.slice(deltas.shown.length));
  deltas.flush();
  const { providerMetadata, reason: finishReason } = end;
  const response = { text, reasoning, calls, finishReason, usage };
  return { kind: "response", response: providerMetadata === undefined ? response : { ...response, providerMetadata } };
}

function faultOf({ timedOut, end }: Attempt): ProviderFault {
  if (timedOut) return { kind: "timeout", message: "the provider call took longer than its limit" };
  return end?.type === "fault" ? end.fault : { kind: "cut", message: "the stream ended without a finish" };
}

const ended = (outcome: LoopOutcome): ProviderCallEnd => ({ kind: "ended", outcome });

function reasonOf({ kind }: ProviderFault): "provider_timeout" | "context_overflow" | "provider_error" {
  if (kind === "timeout") return "provider_timeout";
  return kind === "context_overflow" ? "context_overflow" : "provider_error";
}

/** The provider's words go to the operator's log, never to a client (SE72). */
function reportFault(loop: ToolLoop, fault: ProviderFault): void {
  loop.execution.ports.log("error", "provider_fault", {
    provider: loop.execution.model.provider.name,
    turn: loop.identity.turn,
    kind: fault.kind,
    message: fault.message,
    ...(fault.status === undefined ? {} : { status: fault.status }),
  });
}
