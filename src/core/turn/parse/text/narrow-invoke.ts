/** F9: the narrow `<invoke name="…">` form, for responses that also hold a `<tools>` tag. Rules: TP39. */
import type { TextCall } from "./call-objects.ts";
import { type Range, type SourceText, piecesWithout } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const OPENING = /<invoke\s+name="([^"]+)"[^<>]*>/g;
const CLOSING = /<\/invoke>/g;
const PARAMETER = /<parameter\s+name="([^"]+)"[^<>]*>([^<]*)<\/parameter>/g;
const WRAPPER_START = "<minimax:toolcall>";
const WRAPPER_END = "</minimax:toolcall>";

export function readNarrowInvokes(source: SourceText, names: ToolNames, from: number): TextReading | undefined {
  const calls: TextCall[] = [];
  for (let opening = source.firstMark(OPENING, from); opening !== undefined;) {
    const closing = source.firstMark(CLOSING, opening.end);
    if (closing === undefined) break;
    const parameters = readParameters(source, { at: opening.end, end: closing.at });
    const name = (opening.groups[0] ?? "").trim();
    if (name !== "" && parameters.length > 0) {
      calls.push({ name: names.resolve(name), args: Object.fromEntries(parameters) });
    }
    opening = source.firstMark(OPENING, closing.end);
  }
  return calls.length === 0 ? undefined : { calls, text: dropWrappers(source.text.slice(from), calls.length) };
}

function readParameters(source: SourceText, body: Range): readonly (readonly [string, string])[] {
  const parameters: (readonly [string, string])[] = [];
  for (let at = body.at; ;) {
    const found = source.firstMark(PARAMETER, at, body.end);
    if (found === undefined) return parameters;
    const [name = "", value = ""] = found.groups;
    parameters.push([name, value]);
    at = found.end;
  }
}

/** One block per call, as far as there are blocks. */
function dropWrappers(text: string, count: number): string {
  const blocks: Range[] = [];
  for (let at = 0; blocks.length < count;) {
    const start = text.indexOf(WRAPPER_START, at);
    const end = start < 0 ? -1 : text.indexOf(WRAPPER_END, start);
    if (end < 0) break;
    at = end + WRAPPER_END.length;
    blocks.push({ at: start, end: at });
  }
  return piecesWithout(text, blocks).join("");
}
