/** F10: `TOOL_CALL` blocks with arrows and dashes. Rules: TP40. */
import type { TextCall } from "./call-objects.ts";
import { type Range, type SourceText, piecesWithout } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const FORMS = [
  { opening: /\[TOOL_CALL\]\s*\{/g, closing: /(?<=\}\}\s*)\[\/TOOL_CALL\]/g },
  { opening: /TOOL_CALL\s*\{/g, closing: /(?<=\}\}\s*)\/TOOL_CALL/g },
] as const;
const NAME = /tool\s*=>\s*"([^"]+)"/;
const ARGUMENTS = /args\s*=>\s*\{/;
const ARGUMENT = /--([\p{Alphabetic}\p{N}_]+)\s+"([^"]+)"/gu;
const WORD = "TOOL_CALL";
const END = "/TOOL_CALL";

export function readToolCallBlocks(source: SourceText, names: ToolNames, from: number): TextReading | undefined {
  const calls: TextCall[] = [];
  for (let at = from; ;) {
    const block = nextBlock(source, at);
    if (block === undefined) break;
    const call = readBlock(source.text.slice(block.at, block.end), names);
    if (call !== undefined) calls.push(call);
    at = block.end;
  }
  return calls.length === 0 ? undefined : { calls, text: dropBlocks(source.text.slice(from)) };
}

/** The inside of the next block. */
function nextBlock(source: SourceText, from: number): Range | undefined {
  const blocks = FORMS.flatMap(({ opening, closing }): Range[] => {
    const start = source.firstMark(opening, from);
    const end = start && source.firstMark(closing, start.end);
    return start === undefined || end === undefined ? [] : [{ at: start.end, end: end.at }];
  });
  return blocks.toSorted((one, other) => one.at - other.at)[0];
}

function readBlock(block: string, names: ToolNames): TextCall | undefined {
  const name = NAME.exec(block)?.[1]?.trim() ?? "";
  const start = ARGUMENTS.exec(block);
  if (name === "" || start === null) return undefined;
  const found = block.slice(start.index).matchAll(ARGUMENT);
  const pairs = Array.from(found, ([, key = "", value = ""]) => [key, value] as const);
  return pairs.length === 0 ? undefined : { name: names.resolve(name), args: Object.fromEntries(pairs) };
}

/** From the word to its end; brackets around it stay. */
function dropBlocks(text: string): string {
  const blocks: Range[] = [];
  for (let at = 0; ;) {
    const start = text.indexOf(WORD, at);
    const end = start < 0 ? -1 : text.indexOf(END, start);
    if (end < 0) return piecesWithout(text, blocks).join("");
    at = end + END.length;
    blocks.push({ at: start, end: at });
  }
}
