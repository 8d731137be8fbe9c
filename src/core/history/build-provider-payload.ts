/** The one builder of provider payloads: history becomes messages in which every call has its one result. Rules: PV1, HI1, HI4, HI6–HI9, TP76–TP78. */
import type { AssistantEntry, HistoryEntry, InputPart, ToolEntry } from "../../contracts/message.ts";
import type { ModelMessage, ModelRequest } from "../../contracts/model.ts";
import { providerName } from "../turn/provider-names.ts";
import { toolSection } from "../turn/parse/text/tool-section.ts";
import type { OfferedTools } from "../turn/steps/tool-specs.ts";
import type { ToolLoop } from "../turn/turn-context.ts";
import { makePartsInert } from "./inert-parts.ts";
import { systemPrompt } from "./system-prompt.ts";
import { toTextRound } from "./text-round.ts";

export function buildProviderPayload(
  loop: Pick<ToolLoop, "execution" | "listing" | "model">,
  history: readonly HistoryEntry[],
  { mode, specs }: OfferedTools,
): ModelRequest {
  const { execution } = loop;
  const { provider, model } = loop.model;
  const abilities = provider.capabilities(model);
  const names = new Map(specs.map((spec) => [spec.tool, spec.name]));
  const nameOf = (tool: string): string => names.get(tool) ?? providerName(tool);
  const tools = mode === "native" ? specs : [];
  const section = mode === "text" ? [toolSection(specs)] : [];
  return {
    model,
    system: [systemPrompt(loop), ...section].filter((part) => part !== "").join("\n\n"),
    messages: toMessages(history, nameOf, abilities.nativeTools ? toNativeRound : toTextRound),
    tools,
    temperature: execution.agent.temperature,
    maxOutputTokens: provider.maxOutputTokens(model),
    stream: abilities.streaming && (tools.length === 0 || abilities.streamingTools),
  };
}

/** A round as one kind of provider reads it: the assistant's message and what answers it. */
export type RenderRound = (round: HistoryRound) => readonly ModelMessage[];
export interface HistoryRound {
  readonly assistant: AssistantEntry;
  /** One for each call, in slot order. */
  readonly results: readonly ToolEntry[];
  /** Real name → provider name. */
  readonly nameOf: (tool: string) => string;
}

/** Throws on a history in which a call lacks its result: such a payload must never be sent. */
export function toMessages(
  history: readonly HistoryEntry[],
  nameOf: (tool: string) => string = providerName,
  render: RenderRound = toNativeRound,
): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  const results = new Map(history.flatMap((entry) => (entry.kind === "tool" ? [[entry.callId, entry] as const] : [])));
  for (const entry of history) {
    switch (entry.kind) {
      case "user":
        addMessage(messages, { role: "user", parts: makePartsInert(entry.parts) });
        break;
      case "note":
        addMessage(messages, { role: "user", parts: [{ type: "text", text: entry.text }] });
        break;
      case "assistant": {
        const round = { assistant: entry, results: resultsOf(entry, results), nameOf };
        for (const message of render(round)) addMessage(messages, message);
        break;
      }
      case "tool":
        break;
      default:
        entry satisfies never;
    }
  }
  return messages;
}

function resultsOf({ calls }: AssistantEntry, results: ReadonlyMap<string, ToolEntry>): readonly ToolEntry[] {
  return calls.map(({ callId }) => {
    const result = results.get(callId);
    if (result === undefined) throw new Error(`${callId} has no result in history`);
    return result;
  });
}

/** Neighbouring user messages become one, so that roles alternate wherever a provider demands it (HI8). */
function addMessage(messages: ModelMessage[], message: ModelMessage): void {
  const last = messages.at(-1);
  if (last?.role === "user" && message.role === "user") {
    messages[messages.length - 1] = { role: "user", parts: joinParts(last.parts, message.parts) };
  } else messages.push(message);
}

const joinParts = (before: readonly InputPart[], after: readonly InputPart[]): readonly InputPart[] => [
  ...before,
  ...after,
];

function toNativeRound({ assistant: entry, results, nameOf }: HistoryRound): readonly ModelMessage[] {
  const text = (entry.visibleText ?? entry.text).trim();
  if (entry.calls.length === 0 && text === "") return [];
  const assistant: ModelMessage = {
    role: "assistant",
    text,
    calls: entry.calls.map(({ wireId, tool, argumentsText, providerMetadata }) => ({
      wireId,
      name: nameOf(tool),
      argumentsText,
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    })),
    ...(entry.reasoning === undefined ? {} : { reasoning: entry.reasoning }),
    ...(entry.providerMetadata === undefined ? {} : { providerMetadata: entry.providerMetadata }),
  };
  if (results.length === 0) return [assistant];
  return [
    assistant,
    {
      role: "tool",
      results: results.map(({ wireId, tool, text: result, success }) => ({
        wireId,
        name: nameOf(tool),
        text: result,
        success,
      })),
    },
  ];
}
