/** Stream parts, or a whole answer, of the provider package as model events. Rules: UP9, UP10, UP12, UP14–UP17, SE85. */
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { isObject } from "../../contracts/json.ts";
import type { FinishReason, ModelEvent, ModelUsage } from "../../contracts/model.ts";
import { decodeCallKey } from "./assemble-calls.ts";
import { isCount } from "./clean-usage.ts";
import { keepMetadata } from "./keep-metadata.ts";
import { readFault } from "./provider-fault.ts";

interface PartCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerMetadata?: object;
}
interface PartFinish {
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly providerMetadata?: object;
}

/** Ends with one `finish` or `fault`. Calls are held until the finish: a response that is cut off has none. */
export async function* readStream(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  provider: string,
): AsyncGenerator<ModelEvent, void, undefined> {
  const calls: PartCall[] = [];
  for await (const part of stream) {
    // Starts, ends and argument deltas say nothing that these parts do not.
    if (part.type === "text-delta") yield { type: "text", text: part.delta };
    else if (part.type === "reasoning-delta") yield { type: "reasoning", text: part.delta };
    else if (part.type === "tool-call") calls.push(part);
    else if (part.type === "finish") return yield* finishEvents(calls, part, provider);
    else if (part.type === "error") return yield { type: "fault", fault: readFault(part.error, true) };
  }
  yield { type: "fault", fault: { kind: "cut", message: "the stream ended without a finish" } };
}

export function* readAnswer(answer: LanguageModelV4GenerateResult, provider: string): Generator<ModelEvent, void> {
  const calls: PartCall[] = [];
  for (const part of answer.content) {
    if (part.type === "text") yield { type: "text", text: part.text };
    else if (part.type === "reasoning") yield { type: "reasoning", text: part.text };
    else if (part.type === "tool-call") calls.push(part);
  }
  yield* finishEvents(calls, answer, provider);
}

function* finishEvents(calls: readonly PartCall[], finish: PartFinish, provider: string): Generator<ModelEvent, void> {
  for (const { toolCallId, toolName, input, providerMetadata } of calls) {
    const id = decodeCallKey(toolCallId);
    const kept = keepMetadata(providerMetadata, provider);
    yield {
      type: "call",
      ...(id === undefined ? {} : { id }),
      name: toolName,
      argumentsText: input,
      ...(kept === undefined ? {} : { providerMetadata: kept }),
    };
  }
  const kept = keepMetadata(finish.providerMetadata, provider);
  yield {
    type: "finish",
    reason: finishReasons[finish.finishReason.unified],
    usage: readUsage(finish.usage),
    ...(kept === undefined ? {} : { providerMetadata: kept }),
  };
}

const finishReasons: { readonly [Unified in LanguageModelV4FinishReason["unified"]]: FinishReason } = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "other",
  interrupted: "other",
  other: "other",
};

function readUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): ModelUsage {
  const counts = [inputTokens.total, outputTokens.total, inputTokens.cacheRead, outputTokens.reasoning];
  const [input = 0, output = 0, cached = 0, reasoning = 0] = counts.map((count) => (isCount(count) ? count : 0));
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    reasoningTokens: reasoning,
    exact: isObject(raw) && raw["complete"] === true,
  };
}
