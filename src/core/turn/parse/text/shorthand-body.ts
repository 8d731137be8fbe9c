/** F5: a tag body that names a tool and gives its arguments in few signs. Rules: TP31, TP32. */
import type { JsonObject, JsonValue } from "../../../../contracts/json.ts";
import type { TextCall } from "./call-objects.ts";
import { defaultParameter, valueArguments } from "./shorthand-value.ts";
import type { ToolNames } from "./tool-names.ts";

const NAME = /^[\p{Alphabetic}\p{N}_]+$/u;
/** `yes` and `no` of the line form; everything else is a string. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["false", false],
  ["no", false],
]);

export function readShorthand(body: string, names: ToolNames): TextCall | undefined {
  const parts = splitShorthand(body.trim());
  if (parts === undefined) return undefined;
  const [written, value] = parts;
  if (value === "" || !NAME.test(written)) return undefined;
  const name = names.resolve(written);
  const args = readPairs(value) ?? readLines(value) ?? valueArguments(name, defaultParameter(written), value);
  return { name, args };
}

/** Name and value of `NAME(VALUE)`, of `NAME key="…"` or of `NAME>VALUE`; the first form that fits is the one meant. */
function splitShorthand(body: string): readonly [string, string] | undefined {
  const open = body.indexOf("(");
  if (open > 0 && body.endsWith(")")) return [body.slice(0, open).trim(), body.slice(open + 1, -1).trim()];
  if (body.includes('="')) {
    const space = body.search(/\s/);
    return space < 0 ? undefined : [body.slice(0, space), dropEnds(body.slice(space).trim(), ["/>", ">", "/"])];
  }
  const arrow = body.indexOf(">");
  if (arrow < 0) return undefined;
  return [body.slice(0, arrow).trim(), dropEnds(body.slice(arrow + 1).trim(), ["/>", "/"])];
}

/** Self-closing signs that some models leave at the end. */
function dropEnds(text: string, ends: readonly string[]): string {
  let kept = text;
  for (const end of ends) while (kept.endsWith(end)) kept = kept.slice(0, -end.length);
  return kept.trim();
}

/** `key="value"` pairs. A key is the run without white space before the sign. */
function readPairs(value: string): JsonObject | undefined {
  const pairs: [string, JsonValue][] = [];
  let from = 0;
  for (let sign = value.indexOf('="'); sign >= 0; sign = value.indexOf('="', from)) {
    const end = value.indexOf('"', sign + 2);
    if (end < 0) break;
    const key = trimMarks(value.slice(from, sign).split(/\s/).at(-1) ?? "");
    if (key !== "") pairs.push([key, value.slice(sign + 2, end)]);
    from = end + 1;
  }
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

function trimMarks(key: string): string {
  let [start, end] = [0, key.length];
  while (start < end && isMark(key.charAt(start))) start += 1;
  while (end > start && isMark(key.charAt(end - 1))) end -= 1;
  return key.slice(start, end);
}
const isMark = (character: string): boolean => character === "," || character === ";";

/** `key: value` lines, when there is more than one line. */
function readLines(value: string): JsonObject | undefined {
  if (!value.includes("\n")) return undefined;
  const pairs = value.split("\n").flatMap((line): [string, JsonValue][] => {
    const colon = line.indexOf(":");
    const key = line.slice(0, Math.max(colon, 0)).trim();
    const text = line.slice(colon + 1).trim();
    return key === "" || text === "" ? [] : [[key, WORDS.get(text) ?? text]];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}
