/** F11: `<FunctionCall>` elements with `key>value` lines. Rules: TP41. */
import type { TextCall } from "./call-objects.ts";
import { type Range, type SourceText, piecesWithout } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const OPENING = /<FunctionCall>/g;
const CLOSING = /<\/FunctionCall>/g;
const CONTENT = /^\s*([\p{Alphabetic}\p{N}_]+)\s*<code>([^<]*)<\/code>\s*$/u;

export function readFunctionCalls(source: SourceText, names: ToolNames, from: number): TextReading | undefined {
  const blocks: Range[] = [];
  const calls: TextCall[] = [];
  for (let opening = source.firstMark(OPENING, from); opening !== undefined;) {
    const closing = source.firstMark(CLOSING, opening.end);
    if (closing === undefined) break;
    // Of openings in a row the last one can match: the element holds no other.
    const call = readContent(source.text.slice(opening.end, closing.at), names);
    const next = source.firstMark(OPENING, opening.end, closing.at);
    if (call === undefined && next !== undefined) {
      opening = next;
      continue;
    }
    if (call !== undefined) calls.push(call);
    blocks.push({ at: opening.at - from, end: closing.end - from });
    opening = source.firstMark(OPENING, closing.end);
  }
  return calls.length === 0 ? undefined : { calls, text: piecesWithout(source.text.slice(from), blocks).join("") };
}

function readContent(content: string, names: ToolNames): TextCall | undefined {
  const [, name = "", lines = ""] = CONTENT.exec(content) ?? [];
  const pairs = lines.split("\n").flatMap((line): [string, string][] => {
    const arrow = line.indexOf(">");
    const key = line.slice(0, Math.max(arrow, 0)).trim();
    const value = line.slice(arrow + 1).trim();
    return key === "" || value === "" ? [] : [[key, value]];
  });
  return pairs.length === 0 ? undefined : { name: names.resolve(name), args: Object.fromEntries(pairs) };
}
