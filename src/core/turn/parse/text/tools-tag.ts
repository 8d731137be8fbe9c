/** F7: the `<tools>` tag, which more often declares tools than calls one; read to the letter, never recovered. Rules: TP35, TP36, PA10. */
import type { JsonObject, JsonValue } from "../../../../contracts/json.ts";
import { callsOfValue, isObject, isText } from "./call-objects.ts";
import { NONE } from "./json-scalars.ts";
import { trimRange } from "./json-text.ts";
import { CLOSE_TAG } from "./markup.ts";
import type { TagStep } from "./plain-tags.ts";
import type { Mark, SourceText } from "./source-text.ts";
import { isJsonBody } from "./tag-body.ts";
import type { ToolNames } from "./tool-names.ts";

const DECLARING = ["description", "parameters", "function", "tool_calls"];

export function readToolsTag(source: SourceText, tag: Mark, names: ToolNames): TagStep {
  const { text, json } = source;
  const [start] = trimRange(text, tag.end, text.length);
  const valueEnd = json.endAt(start);
  if (valueEnd === NONE && isJsonBody(text.slice(tag.end))) return refuse(source, tag, undefined);
  const closing = source.firstMark(CLOSE_TAG, valueEnd === NONE ? tag.end : valueEnd);
  const bodyEnd = closing?.at ?? text.length;
  if (valueEnd === NONE || text.slice(valueEnd, bodyEnd).trim() !== "") return refuse(source, tag, closing);
  const value = json.whole(start, valueEnd);
  if (!isCall(value)) return refuse(source, tag, closing);
  return { kind: "read", calls: callsOfValue(value, names), end: closing?.end ?? text.length };
}

/** Refused up to the close tag, which is not shown; to the end of the response without one. */
function refuse({ text }: SourceText, tag: Mark, closing: Mark | undefined): TagStep {
  return {
    kind: "refused",
    span: { at: tag.at, end: closing?.end ?? text.length },
    piece: text.slice(tag.end, closing?.at),
  };
}

function isCall(value: JsonValue | undefined): value is JsonObject {
  if (!isObject(value) || !isText(value["name"]) || !Object.hasOwn(value, "arguments")) return false;
  return !DECLARING.some((key) => Object.hasOwn(value, key));
}
