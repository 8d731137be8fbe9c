/** A model that does what it is told: the last message says which calls to make, or how many words to stream. */
import type { ChatRequest, ModelAnswer } from "./model-server.ts";

export interface Errand {
  readonly name: string;
  readonly args: object;
}

/** Input of a turn whose first response is these calls, all in one batch. */
export const askCalls = (...calls: readonly Errand[]): string => JSON.stringify({ calls });

/** Input of a turn that streams so many words, one each 50 ms. */
export const askWords = (words: number): string => JSON.stringify({ words });

/** Behind tool results it is done; what is no errand it has heard. */
export function obey({ messages }: ChatRequest): ModelAnswer {
  const last = messages.at(-1);
  if (last?.role === "tool") return say("All done.");
  const asked = textOf(last?.content);
  const errand = parseErrand(asked);
  if (errand === undefined) return say(`Heard: ${asked}`);
  if ("words" in errand) return { kind: "text", tokens: Array(errand.words).fill("word "), tokenMs: 50 };
  const turns = messages.filter(({ role }) => role === "user").length;
  return { kind: "calls", calls: errand.calls.map((call, at) => ({ id: `call_${turns}_${at}`, ...call })) };
}

const say = (text: string): ModelAnswer => ({ kind: "text", tokens: [text] });

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("") : "";
}

type ParsedErrand = { readonly calls: readonly Errand[] } | { readonly words: number };

function parseErrand(text: string): ParsedErrand | undefined {
  try {
    return JSON.parse(text) as ParsedErrand;
  } catch {
    return undefined;
  }
}
