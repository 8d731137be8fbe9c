/** The one builder of provider payloads: history becomes messages in which every call has its one result. Rules: PV1, HI1, HI4, HI6–HI9. */
import type { AssistantEntry, HistoryEntry, InputPart, ToolEntry } from "../../contracts/message.ts";
import type { ModelMessage, ModelRequest } from "../../contracts/model.ts";
import type { ToolSpec } from "../../contracts/tool.ts";
import { providerName } from "../turn/provider-names.ts";
import type { ToolLoop } from "../turn/turn-context.ts";
import { systemPrompt } from "./system-prompt.ts";

export function buildProviderPayload(
  { execution }: Pick<ToolLoop, "execution">,
  history: readonly HistoryEntry[],
  tools: readonly ToolSpec[],
): ModelRequest {
  const { provider, model } = execution.model;
  const abilities = provider.capabilities(model);
  return {
    model,
    system: systemPrompt(execution),
    messages: toMessages(history, new Map(tools.map((spec) => [spec.tool, spec.name]))),
    tools,
    temperature: execution.agent.temperature,
    maxOutputTokens: provider.maxOutputTokens(model),
    stream: abilities.streaming && (tools.length === 0 || abilities.streamingTools),
  };
}

/** Throws on a history in which a call lacks its result: such a payload must never be sent. */
export function toMessages(
  history: readonly HistoryEntry[],
  names: ReadonlyMap<string, string> = new Map(),
): readonly ModelMessage[] {
  const nameOf = (tool: string): string => names.get(tool) ?? providerName(tool);
  const messages: ModelMessage[] = [];
  const results = new Map(history.flatMap((entry) => (entry.kind === "tool" ? [[entry.callId, entry] as const] : [])));
  for (const entry of history) {
    switch (entry.kind) {
      case "user":
        addUserParts(messages, entry.parts);
        break;
      case "note":
        addUserParts(messages, [{ type: "text", text: entry.text }]);
        break;
      case "assistant":
        messages.push(...toRound(entry, results, nameOf));
        break;
      case "tool":
        break;
      default:
        entry satisfies never;
    }
  }
  return messages;
}

/** Neighbouring user messages become one, so that roles alternate wherever a provider demands it (HI8). */
function addUserParts(messages: ModelMessage[], parts: readonly InputPart[]): void {
  const last = messages.at(-1);
  if (last?.role === "user") messages[messages.length - 1] = { role: "user", parts: [...last.parts, ...parts] };
  else messages.push({ role: "user", parts });
}

function toRound(
  entry: AssistantEntry,
  results: ReadonlyMap<string, ToolEntry>,
  nameOf: (tool: string) => string,
): readonly ModelMessage[] {
  const text = entry.text.trim();
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
  if (entry.calls.length === 0) return [assistant];
  return [
    assistant,
    {
      role: "tool",
      results: entry.calls.map(({ callId, wireId, tool }) => {
        const result = results.get(callId);
        if (result === undefined) throw new Error(`${callId} has no result in history`);
        return { wireId, name: nameOf(tool), text: result.text, success: result.success };
      }),
    },
  ];
}
