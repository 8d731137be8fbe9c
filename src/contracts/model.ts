/** The model contract: one request, one stream of events, whoever the provider is. Rules: PV4, PV17, TS20, UP2, SE59. */
import type { JsonObject } from "./json.ts";
import type { InputPart } from "./message.ts";
import type { CancelSignal } from "./ports.ts";
import type { ToolSpec } from "./tool.ts";

/** A message of a validated payload, as the history builder makes it (HI1). */
export type ModelMessage =
  | { readonly role: "user"; readonly parts: readonly InputPart[] }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly ModelMessageCall[];
      readonly providerMetadata?: JsonObject;
    }
  | { readonly role: "tool"; readonly results: readonly ModelMessageResult[] };
export interface ModelMessageCall {
  readonly wireId: string;
  /** Provider name. */
  readonly name: string;
  /** Always the text of a JSON object. */
  readonly argumentsText: string;
  readonly providerMetadata?: JsonObject;
}
export interface ModelMessageResult {
  readonly wireId: string;
  readonly name: string;
  readonly text: string;
  readonly success: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** Empty: the field is left out of the wire request. */
  readonly tools: readonly ToolSpec[];
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
  /** False asks for a plain, whole answer (PV10, LC5); the events are the same. */
  readonly stream: boolean;
}

/** How much of one response is taken, whoever sends it; sizes are UTF-16 units. */
export const responseLimits = { size: 4_194_304, calls: 1000, name: 256, id: 256 } as const;
/** What an operator is told when there is more. */
export const responseTooLarge = "the response is larger than 4 MiB";

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/** Tokens of one provider call; `exact` is false when the provider left a part out (UP16). */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly exact: boolean;
}

/** Why a provider call failed. `message` is cleaned text for operators; clients see the turn's reason only. */
export interface ProviderFault {
  readonly kind: "refused" | "unreachable" | "cut" | "context_overflow" | "egress" | "timeout" | "not_configured";
  readonly message: string;
  readonly status?: number;
}

/**
 * What a provider call yields, in order. A stream ends with exactly one `finish` or `fault`; nothing follows either.
 * `call` comes once per tool call, whole: `argumentsText` is what the model wrote, unrepaired (PA4).
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly providerMetadata?: JsonObject }
  | {
      readonly type: "call";
      readonly id?: string;
      readonly name: string;
      readonly argumentsText: string;
      readonly providerMetadata?: JsonObject;
    }
  /** A tool that the provider ran itself, and how that went (PV12). */
  | {
      readonly type: "provider_tool";
      readonly name: string;
      readonly arguments: JsonObject;
      readonly success: boolean;
      readonly output: string;
      readonly durationMs: number;
    }
  | { readonly type: "retry"; readonly attempt: number; readonly reason: string }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly usage: ModelUsage;
      readonly providerMetadata?: JsonObject;
    }
  | { readonly type: "fault"; readonly fault: ProviderFault };

/** What the model in use can do (TS20, PV4). */
export interface ModelCapabilities {
  readonly nativeTools: boolean;
  readonly streaming: boolean;
  readonly streamingTools: boolean;
}

/**
 * One configured provider. `stream` never throws for what a provider may do: it yields a `fault`.
 * When `signal` fires it stops at once, closes the upstream connection and may end without a last event.
 */
export interface ModelProvider {
  readonly name: string;
  readonly defaultModel: string;
  capabilities(model: string): ModelCapabilities;
  maxOutputTokens(model: string): number;
  stream(request: ModelRequest, signal: CancelSignal): AsyncIterable<ModelEvent>;
}
