/** F1: a response that is one JSON value and nothing else. Rules: TP25. */
import { callsOfValue, isObject, isText } from "./call-objects.ts";
import type { SourceText } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

export function readWholeJson({ text, json }: SourceText, names: ToolNames): TextReading | undefined {
  const value = json.whole(0, text.length);
  if (value === undefined) return undefined;
  const calls = callsOfValue(value, names);
  if (calls.length === 0) return undefined;
  const content = isObject(value) ? value["content"] : undefined;
  return { calls, text: isText(content) ? content.trim() : "" };
}
