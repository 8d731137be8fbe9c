/** Step 2, provider call: one model request, its text streamed as it comes, its end judged. Rules: PV1, PV2, PV4–PV7, PV10–PV16, PA3, SC8. */
import type { ModelEvent, ModelRequest, ProviderFault } from "../../../contracts/model.ts";
import type { JsonObject } from "../../../contracts/json.ts";
import type { TurnUsage } from "../../../contracts/turn.ts";
import { type ModelStreamEnd, chargeUsage, readModelStream } from "../model-stream.ts";
import { type EndedOutcome, overBudget } from "../outcome.ts";
import { createLiveText } from "../parse/live-text.ts";
import type { RawCall } from "../parse/read-calls.ts";
import { cleanResponse } from "../parse/text/clean-response.ts";
import { createReasoningDeltas } from "../reasoning-deltas.ts";
import { barRefusedTool, refusedTool } from "../refused-tool.ts";
import { relayProviderTool } from "../provider-tool.ts";
import { keepShownText } from "../shown-text.ts";
import { trimAfterOverflow } from "../trim-history.ts";
import { TextDeltas } from "../text-deltas.ts";
import { type ToolLoop, eventOf, messageIdOf } from "../turn-context.ts";
import { wellFormedChunks } from "../well-formed-chunks.ts";
import type { OfferedTools } from "./tool-specs.ts";

/** A whole response: it has text or calls, and it was not cut. Whether it can be read is for the next step to say. */
export interface ModelResponse {
  /** What of its text has gone out live; the next step sends the rest. */
  readonly deltas: TextDeltas;
  /** True when the guard kept text back as protocol (PV7). */
  readonly withheld: boolean;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly RawCall[];
  readonly finishReason: string;
  readonly usage: TurnUsage;
  readonly providerMetadata?: JsonObject;
}

export type ProviderCallEnd =
  | { readonly kind: "response"; readonly response: ModelResponse }
  | { readonly kind: "ended"; readonly outcome: EndedOutcome }
  /** History was too long and is shorter now: the next iteration asks again (LC25). */
  | { readonly kind: "trimmed" }
  /** The provider refused one of the tools, and has it no more: ask again, without another iteration (SC8). */
  | { readonly kind: "refitted" };

/** What one attempt gave, before anyone judges it. */
interface Attempt extends ModelStreamEnd {
  readonly deltas: TextDeltas;
  readonly withheld: boolean;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly RawCall[];
  /** The provider ran tools of its own, which asking again would do once more. */
  readonly ranTools: boolean;
}

/** Nobody has seen anything of it, and nothing came of it. */
const leftNoTrace = ({ deltas, ranTools }: Attempt): boolean => deltas.shown.trim() === "" && !ranTools;

export async function callProvider(
  loop: ToolLoop,
  request: ModelRequest,
  offered: OfferedTools,
): Promise<ProviderCallEnd> {
  const first = await attempt(loop, request, offered);
  if (!mayTryPlain(loop, request, first)) return judge(loop, request, first);
  first.deltas.finish();
  // Rejected as empty, and paid for all the same (PV15).
  if (first.end?.type === "finish") chargeUsage(loop, first.end.usage);
  return judge(loop, request, await attempt(loop, { ...request, stream: false }, offered));
}

/** Before anything visible was shown, a stream that failed or came to nothing is asked once more, whole (PV10, PV11). */
function mayTryPlain(loop: ToolLoop, request: ModelRequest, tried: Attempt): boolean {
  const { end } = tried;
  if (tried.overBudget === true || !request.stream || loop.cancel.aborted || !leftNoTrace(tried)) return false;
  if (end?.type === "finish") return isEmpty(tried);
  if (end !== undefined && refusedTool(request, end.fault) !== undefined) return false;
  const kind = end?.fault.kind ?? "cut";
  return kind === "cut" || kind === "refused" || kind === "unreachable";
}

/** Neither text nor calls, thinking aside. */
const isEmpty = ({ text, calls }: Attempt): boolean => calls.length === 0 && cleanResponse(text).trim() === "";

async function attempt(loop: ToolLoop, request: ModelRequest, { specs }: OfferedTools): Promise<Attempt> {
  const { strictToolParsing: strict } = loop.execution.knobs;
  const live = createLiveText({ knownNames: specs.map(({ name }) => name), strict });
  const messageId = messageIdOf(loop, loop.iteration);
  const deltas = new TextDeltas(loop, { messageId, live });
  const thinking = createReasoningDeltas(loop, messageId);
  const calls: RawCall[] = [];
  const chunks = wellFormedChunks();
  let text = "";
  let reasoning = "";
  let toolsRun = 0;
  const addText = (more: string): void => {
    text += more;
    if (!request.stream || more === "") return;
    thinking.finish();
    deltas.push(more);
  };
  const addReasoning = (more: string): void => {
    reasoning += more;
    if (request.stream) thinking.push(more);
  };
  try {
    const end = await readModelStream(loop, request, (part) => {
      if (part.type === "text") addText(chunks.next(part.text));
      else if (part.type === "reasoning") addReasoning(part.text);
      else if (part.type === "retry") announceRetry(loop, part);
      else if (part.type === "provider_tool") {
        thinking.finish();
        deltas.flush();
        relayProviderTool(loop, part, toolsRun++);
      }
      // Without tools on offer a native call is noise: the text is the answer (PA3).
      else if (request.tools.length > 0) calls.push(part);
    });
    addText(chunks.end());
    thinking.finish();
    const { withheld } = deltas.endStream();
    return { ...end, deltas, withheld, text, reasoning: reasoning.toWellFormed(), calls, ranTools: toolsRun > 0 };
  } catch (error) {
    // A provider never throws, so this is a bug; its turn is sealed, and no timer may write behind that.
    thinking.finish();
    deltas.finish();
    throw error;
  }
}

function announceRetry(loop: ToolLoop, retry: Extract<ModelEvent, { type: "retry" }>): void {
  loop.journal.appendEvents([eventOf(loop, { ...retry, type: "provider_retry" })]);
}

function judge(loop: ToolLoop, request: ModelRequest, tried: Attempt): ProviderCallEnd {
  const { deltas, withheld, end, text, reasoning, calls } = tried;
  if (loop.cancel.aborted) {
    deltas.finish();
    return ended({ kind: "cancelled", reason: "cancel", ...keepShownText(loop, deltas.shown, "interrupted") });
  }
  if (tried.overBudget === true) {
    deltas.finish();
    return ended(overBudget);
  }
  if (end?.type !== "finish") {
    deltas.finish();
    const fault = end?.fault ?? unfinished;
    const untouched = leftNoTrace(tried);
    if (fault.kind === "context_overflow" && untouched && trimAfterOverflow(loop)) return { kind: "trimmed" };
    if (untouched && barRefusedTool(loop, request, fault)) return { kind: "refitted" };
    reportFault(loop, fault);
    return ended({ kind: "failed", reason: reasonOf(fault), ...keepShownText(loop, deltas.shown, "cut") });
  }
  const usage = chargeUsage(loop, end.usage);
  loop.reportedTokens = end.usage.inputTokens;
  if (isEmpty(tried)) {
    deltas.finish();
    return ended({ kind: "failed", reason: "empty_response", ...keepShownText(loop, deltas.shown, "cut") });
  }
  const { providerMetadata, reason: finishReason } = end;
  const response = { deltas, withheld, text, reasoning, calls, finishReason, usage };
  return { kind: "response", response: providerMetadata === undefined ? response : { ...response, providerMetadata } };
}

const unfinished: ProviderFault = { kind: "cut", message: "the stream ended without a finish" };

const ended = (outcome: EndedOutcome): ProviderCallEnd => ({ kind: "ended", outcome });

function reasonOf({ kind }: ProviderFault): "provider_timeout" | "context_overflow" | "provider_error" {
  if (kind === "timeout") return "provider_timeout";
  return kind === "context_overflow" ? "context_overflow" : "provider_error";
}

/** The provider's words go to the operator's log, never to a client (SE72). */
function reportFault(loop: ToolLoop, fault: ProviderFault): void {
  loop.execution.ports.log("error", "provider_fault", {
    provider: loop.model.provider.name,
    turn: loop.identity.turn,
    kind: fault.kind,
    message: fault.message,
    ...(fault.status === undefined ? {} : { status: fault.status }),
  });
}
