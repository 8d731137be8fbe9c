/** Tag bodies: the four ways, in order, in which the inside of a plain tag may say a call. Rules: TP28. */
import { type TextCall, callsOfValues } from "./call-objects.ts";
import { repairFileWrite } from "./file-write-repair.ts";
import { readNestedXml } from "./nested-xml.ts";
import { readShorthand } from "./shorthand-body.ts";
import type { Range, SourceText } from "./source-text.ts";
import type { ToolNames } from "./tool-names.ts";

export function readTagBody(source: SourceText, body: Range, names: ToolNames): readonly TextCall[] {
  const calls = callsOfValues(source.json.values(body.at, body.end), names);
  if (calls.length > 0) return calls;
  const text = source.text.slice(body.at, body.end);
  const repaired = repairFileWrite(text, names);
  if (repaired !== undefined) return [repaired];
  const nested = readNestedXml(source, body);
  if (nested.length > 0) return nested;
  const short = readShorthand(text, names);
  return short === undefined ? [] : [short];
}

/** Whether a body sets out to be JSON: then its quotes and brackets decide what it may hide. */
export const isJsonBody = (text: string): boolean => /^\s*[{[]/.test(text);
