/** A model provider that answers from a list and keeps what it was asked: the scripted end of the ModelProvider port. */
import type {
  ModelCapabilities,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ProviderFault,
} from "../../src/contracts/model.ts";
import type { CancelSignal } from "../../src/contracts/ports.ts";

type Responder = (request: ModelRequest, signal: CancelSignal) => AsyncIterable<ModelEvent>;
/** What one provider call yields, in order, or a function that makes it. */
export type ScriptedResponse = readonly ModelEvent[] | Responder;

export interface ScriptedProvider extends ModelProvider {
  /** In the order in which they came. */
  readonly requests: readonly ModelRequest[];
  /** What the next calls get, behind what is left of earlier scripts. */
  script(...responses: readonly ScriptedResponse[]): void;
  /** The same for calls of one model alone; it turns to the common script when its own has run out. */
  scriptFor(model: string, ...responses: readonly ScriptedResponse[]): void;
  /** Forgets what is left of them. */
  drop(): void;
}

const capable: ModelCapabilities = { nativeTools: true, streaming: true, streamingTools: true };

/** A call past the end of the script throws, as a provider never may: the turn fails as a bug, and so does its test. */
export function createScriptedProvider(capabilities: Partial<ModelCapabilities> = {}): ScriptedProvider {
  const waiting: ScriptedResponse[] = [];
  const ofModel = new Map<string, ScriptedResponse[]>();
  const requests: ModelRequest[] = [];
  return {
    name: "scripted",
    defaultModel: "script-1",
    requests,
    script: (...responses) => waiting.push(...responses),
    scriptFor: (model, ...responses) => ofModel.set(model, [...(ofModel.get(model) ?? []), ...responses]),
    drop: () => waiting.splice(0),
    capabilities: () => ({ ...capable, ...capabilities }),
    maxOutputTokens: () => 4096,
    async *stream(request, signal) {
      requests.push(request);
      const response = ofModel.get(request.model)?.shift() ?? waiting.shift();
      if (response === undefined) throw new Error("the script has no further response");
      yield* typeof response === "function" ? response(request, signal) : response;
    },
  };
}

const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0, exact: true };

export const text = (words: string): ModelEvent => ({ type: "text", text: words });
export const finish = (reason: "stop" | "length" | "tool_calls" = "stop"): ModelEvent => ({
  type: "finish",
  reason,
  usage,
});
export const says = (...chunks: readonly string[]): readonly ModelEvent[] => [...chunks.map(text), finish()];

/** Arguments are a value, or the very text that the model is to have written. */
export interface ScriptedCall {
  readonly name: string;
  readonly args?: unknown;
  readonly argumentsText?: string;
  readonly id?: string;
}
export const callOf = ({ name, args = {}, argumentsText, id }: ScriptedCall): ModelEvent => ({
  type: "call",
  name,
  argumentsText: argumentsText ?? JSON.stringify(args),
  ...(id === undefined ? {} : { id }),
});
export const calls = (...wanted: readonly ScriptedCall[]): readonly ModelEvent[] => [
  ...wanted.map(callOf),
  finish("tool_calls"),
];
export const fault = (kind: ProviderFault["kind"] = "cut"): ModelEvent => ({
  type: "fault",
  fault: { kind, message: "as the script says" },
});
