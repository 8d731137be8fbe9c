/** Puts argument text back as it was written, where the provider package would encode it once more. Rules: HI6, SE58. */
import { isObject } from "../../contracts/json.ts";
import type { ModelRequest } from "../../contracts/model.ts";

type Body = Record<string, unknown>;

/** The package takes text with a member such as `__proto__` for no JSON and sends it as a JSON string; to us it is plain data. */
export function restoreArguments(body: Body, { messages }: ModelRequest): Body {
  const written = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  const sent = Array.isArray(body["messages"]) ? (body["messages"] as unknown[]) : [];
  let place = 0;
  const restored = sent.map((message) => {
    if (!isObject(message) || !Array.isArray(message["tool_calls"])) return message;
    const calls = (message["tool_calls"] as unknown[]).map((call) => {
      const argumentsText = written[place++]?.argumentsText;
      if (!isObject(call) || !isObject(call["function"])) return call;
      return { ...call, function: { ...call["function"], arguments: argumentsText } };
    });
    return { ...message, tool_calls: calls };
  });
  return { ...body, messages: restored };
}
