/** Writes a validated payload the way each provider's protocol has it, plainly and without repairing anything. Rules: HI1, HI8. */
import type { InputPart } from "../../src/contracts/message.ts";
import type { ModelMessage } from "../../src/contracts/model.ts";

const textOf = (part: InputPart): string => (part.type === "text" ? part.text : `[${part.mediaType}]`);

export function toOpenAi(messages: readonly ModelMessage[]): object {
  return {
    messages: messages.flatMap((message): object[] => {
      switch (message.role) {
        case "user":
          return [{ role: "user", content: message.parts.map((part) => ({ type: "text", text: textOf(part) })) }];
        case "assistant":
          return [
            {
              role: "assistant",
              content: message.text === "" ? null : message.text,
              ...(message.calls.length === 0
                ? {}
                : {
                    tool_calls: message.calls.map(({ wireId, name, argumentsText }) => ({
                      id: wireId,
                      type: "function",
                      function: { name, arguments: argumentsText },
                    })),
                  }),
            },
          ];
        case "tool":
          return message.results.map(({ wireId, text }) => ({ role: "tool", tool_call_id: wireId, content: text }));
        default:
          return message satisfies never;
      }
    }),
  };
}

interface Content {
  readonly role: string;
  readonly blocks: readonly object[];
}

/** Results are the user's here, so the user's words behind them belong to the same message. */
function mergeRoles(contents: readonly Content[]): readonly Content[] {
  return contents.reduce<readonly Content[]>((merged, next) => {
    const last = merged.at(-1);
    if (last?.role !== next.role) return [...merged, next];
    return [...merged.slice(0, -1), { role: next.role, blocks: [...last.blocks, ...next.blocks] }];
  }, []);
}

export function toAnthropic(messages: readonly ModelMessage[]): object {
  const contents = messages.map((message): Content => {
    switch (message.role) {
      case "user":
        return { role: "user", blocks: message.parts.map((part) => ({ type: "text", text: textOf(part) })) };
      case "assistant":
        return {
          role: "assistant",
          blocks: [
            ...(message.text === "" ? [] : [{ type: "text", text: message.text }]),
            ...message.calls.map(({ wireId, name, argumentsText }) => ({
              type: "tool_use",
              id: wireId,
              name,
              input: JSON.parse(argumentsText) as unknown,
            })),
          ],
        };
      case "tool":
        return {
          role: "user",
          blocks: message.results.map(({ wireId, text, success }) => ({
            type: "tool_result",
            tool_use_id: wireId,
            content: text,
            is_error: !success,
          })),
        };
      default:
        return message satisfies never;
    }
  });
  return { messages: mergeRoles(contents).map(({ role, blocks }) => ({ role, content: blocks })) };
}

/** Responses stand alone in their content: as many as there were calls (HI8). Notes behind them are the user's next part. */
export function toGemini(messages: readonly ModelMessage[]): object {
  const contents = messages.map((message): Content => {
    switch (message.role) {
      case "user":
        return { role: "user", blocks: message.parts.map((part) => ({ text: textOf(part) })) };
      case "assistant":
        return {
          role: "model",
          blocks: [
            ...(message.text === "" ? [] : [{ text: message.text }]),
            ...message.calls.map(({ name, argumentsText }) => ({
              functionCall: { name, args: JSON.parse(argumentsText) as unknown },
            })),
          ],
        };
      case "tool":
        return {
          role: "user",
          blocks: message.results.map(({ name, text }) => ({ functionResponse: { name, response: { output: text } } })),
        };
      default:
        return message satisfies never;
    }
  });
  return { contents: mergeRoles(contents).map(({ role, blocks }) => ({ role, parts: blocks })) };
}
