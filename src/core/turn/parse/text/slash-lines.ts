/** F12: lines of the form `tool/parameter>value` or `tool/{json}`. Rules: TP42. */
import type { JsonValue } from "../../../../contracts/json.ts";
import { type TextCall, isObject } from "./call-objects.ts";
import { parseJson } from "./json-text.ts";
import { curlCommand, valueArguments } from "./shorthand-value.ts";
import type { SourceText } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const NAME = /^[\p{Alphabetic}\p{N}_]*$/u;

export function readSlashLines({ text }: SourceText, names: ToolNames, from: number): TextReading | undefined {
  const calls: TextCall[] = [];
  const kept = text
    .slice(from)
    .split("\n")
    .map((line) => {
      const call = readLine(line.trim(), names);
      if (call === undefined) return line;
      calls.push(call);
      return "";
    });
  return calls.length === 0 ? undefined : { calls, text: kept.join("\n") };
}

function readLine(line: string, names: ToolNames): TextCall | undefined {
  const slash = line.indexOf("/");
  if (slash < 0 || !NAME.test(line.slice(0, slash))) return undefined;
  const name = names.resolve(line.slice(0, slash));
  const args = readArguments(name, line.slice(slash + 1));
  return args === undefined ? undefined : { name, args };
}

function readArguments(tool: string, rest: string): JsonValue | undefined {
  const arrow = rest.indexOf(">");
  if (arrow < 0) {
    const value = rest.startsWith("{") ? parseJson(rest) : undefined;
    return isObject(value) ? value : undefined;
  }
  const parameter = rest.slice(0, arrow).trim();
  const value = rest.slice(arrow + 1).trim();
  if (tool !== "shell" || parameter !== "url") return valueArguments(tool, parameter, value);
  const command = curlCommand(value);
  return command === undefined ? undefined : { command };
}
