/** Our messages as the provider package takes them. Rules: PV17, HI6–HI8, UP17. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { type JsonValue, isObject } from "../../contracts/json.ts";
import type { InputPart } from "../../contracts/message.ts";
import type { ModelMessage, ModelMessageCall, ModelRequest } from "../../contracts/model.ts";
import { METADATA_KEY } from "./keep-metadata.ts";

type Message = LanguageModelV4Prompt[number];
type UserMessage = Extract<Message, { role: "user" }>;
type AssistantMessage = Extract<Message, { role: "assistant" }>;

/** `provider` names us: metadata that another provider left is not sent. Users' messages come joined already. */
export function toPrompt({ system, messages }: ModelRequest, provider: string): LanguageModelV4Prompt {
  const prompt: Message[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  for (const message of messages) {
    if (message.role === "user") {
      const content = message.parts.map(toUserPart);
      if (content.length > 0) prompt.push({ role: "user", content: joinTexts(content) });
    } else if (message.role === "assistant") {
      const content = toAssistantParts(message, provider);
      if (content.length === 0) continue;
      const last = prompt.at(-1);
      // Two answers in a row happen after an exit that showed text; a call must stay next to its results, so it is never joined to.
      const joins = last?.role === "assistant" && last.content.every(({ type }) => type === "text");
      if (joins) last.content = [{ type: "text", text: `${textOf(last)}\n\n` }, ...content];
      else prompt.push({ role: "assistant", content });
    } else if (message.results.length > 0) {
      prompt.push({
        role: "tool",
        content: message.results.map(({ wireId, name, text, success }) => ({
          type: "tool-result",
          toolCallId: wireId,
          toolName: name,
          output: { type: success ? "text" : "error-text", value: text },
        })),
      });
    }
  }
  return prompt;
}

const textOf = ({ content }: AssistantMessage): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** One text where there are only texts: servers that take no list of parts exist. */
function joinTexts(content: UserMessage["content"]): UserMessage["content"] {
  if (!content.every((part) => part.type === "text")) return content;
  return [{ type: "text", text: content.map(({ text }) => text).join("\n\n") }];
}

function toUserPart(part: InputPart): UserMessage["content"][number] {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType } = part;
  if ("url" in part) return { type: "file", mediaType, data: { type: "url", url: new URL(part.url) } };
  return { type: "file", mediaType, data: { type: "data", data: part.data } };
}

function toAssistantParts(
  { text, reasoning, calls, providerMetadata }: Extract<ModelMessage, { role: "assistant" }>,
  provider: string,
): AssistantMessage["content"] {
  const trimmed = text.trim();
  if (trimmed === "" && calls.length === 0) return [];
  const ours = providerMetadata?.[provider] !== undefined;
  return [
    ...(ours && reasoning !== undefined && reasoning !== "" ? [{ type: "reasoning" as const, text: reasoning }] : []),
    ...(trimmed === "" ? [] : [{ type: "text" as const, text: trimmed }]),
    ...calls.map((call) => toCallPart(call, provider)),
  ];
}

function toCallPart({ wireId, name, argumentsText, providerMetadata }: ModelMessageCall, provider: string) {
  const kept: JsonValue | undefined = providerMetadata?.[provider];
  return {
    type: "tool-call" as const,
    toolCallId: wireId,
    toolName: name,
    input: argumentsText,
    ...(isObject(kept) ? { providerOptions: { [METADATA_KEY]: { ...kept } } } : {}),
  };
}
