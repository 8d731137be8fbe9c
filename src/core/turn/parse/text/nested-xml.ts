/** F4: a tag body in which elements named after tools hold the arguments. Rules: TP14, TP30, TP44. */
import type { JsonObject } from "../../../../contracts/json.ts";
import { type TextCall, isObject } from "./call-objects.ts";
import { type Mark, type Range, type SourceText, indexFrom } from "./source-text.ts";

const OPENING = /<([A-Za-z_][A-Za-z0-9_-]*)>/g;
const CLOSING = /<\/([A-Za-z_][A-Za-z0-9_-]*)>/g;
/** Elements that wrap or think, and are no tools. */
const SKIPPED = /^(?:tool_call|toolcall|tool-call|invoke|thinking|thought|analysis|reasoning|reflection)$/i;

interface Pair extends Range {
  readonly name: string;
}
type Closings = ReadonlyMap<string, readonly Mark[]>;

export function readNestedXml(source: SourceText, body: Range): readonly TextCall[] {
  if (!source.text.slice(body.at, body.end).trimStart().startsWith("<")) return [];
  const closings = closingsWithin(source, body);
  return readPairs(source, body, closings).map((pair) => ({
    name: pair.name,
    args: readContent(source, pair, closings),
  }));
}

function readContent(source: SourceText, pair: Pair, closings: Closings): JsonObject {
  const value = source.json.first(pair.at, pair.end);
  if (value !== undefined) return isObject(value) ? value : { value };
  const content = (range: Range): string => source.text.slice(range.at, range.end).trim();
  const children = readPairs(source, pair, closings);
  if (children.length === 0) return { content: content(pair) };
  return Object.fromEntries(children.map((child) => [child.name, content(child)]));
}

/** Elements side by side, by what is between their tags; blank and skipped ones are passed over. */
function readPairs(source: SourceText, within: Range, closings: Closings): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let at = within.at; ;) {
    const opening = source.firstMark(OPENING, at, within.end);
    if (opening === undefined) return pairs;
    const name = opening.groups[0] ?? "";
    const named = closings.get(name) ?? [];
    const closing = named[indexFrom(named, opening.end)];
    const closed = closing !== undefined && closing.end <= within.end;
    at = closed ? closing.end : opening.end;
    if (!closed || SKIPPED.test(name) || source.text.slice(opening.end, closing.at).trim() === "") continue;
    pairs.push({ name, at: opening.end, end: closing.at });
  }
}

function closingsWithin(source: SourceText, body: Range): Closings {
  const marks = source.marks(CLOSING);
  const closings = new Map<string, Mark[]>();
  for (const mark of marks.slice(indexFrom(marks, body.at), indexFrom(marks, body.end))) {
    const name = mark.groups[0] ?? "";
    const named = closings.get(name);
    if (named === undefined) closings.set(name, [mark]);
    else named.push(mark);
  }
  return closings;
}
