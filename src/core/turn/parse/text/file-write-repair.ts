/** F6: a `file_write` call whose `content` holds quotes that were not escaped. Rules: TP33, TP34. */
import type { JsonObject } from "../../../../contracts/json.ts";
import { type TextCall, isText } from "./call-objects.ts";
import { NONE, skipSpace } from "./json-scalars.ts";
import { JsonText } from "./json-text.ts";
import { readBrokenString } from "./broken-string.ts";
import type { ToolNames } from "./tool-names.ts";

export const REPAIRED_TOOL = "file_write";
const JSON_FENCE = /^```json[^\S\n]*\n/i;

/** No other tool and no other field is ever repaired. */
export function repairFileWrite(text: string, names: ToolNames): TextCall | undefined {
  const body = unfence(text.trim());
  if (!/^[{[]/.test(body)) return undefined;
  const json = new JsonText(body);
  const name = findName(json);
  if (name === undefined || names.resolve(name.value.trim()) !== REPAIRED_TOOL) return undefined;
  const start = findArguments(json, name.end);
  const args = start === NONE ? undefined : repairArguments(json, start);
  return args === undefined ? undefined : { name: REPAIRED_TOOL, args };
}

/** The same for a text that is the arguments alone. */
export function repairFileWriteArguments(text: string): JsonObject | undefined {
  const body = text.trim();
  return body.startsWith("{") ? repairArguments(new JsonText(body), 0) : undefined;
}

function unfence(text: string): string {
  const opening = JSON_FENCE.exec(text);
  return opening === null ? text : text.slice(opening[0].length).trimStart();
}

interface Entry {
  readonly key: string;
  /** Where the value begins. */
  readonly at: number;
}

/** `"key":` at a place, and where its value begins. */
function readKey(json: JsonText, at: number): Entry | undefined {
  if (json.text.charAt(at) !== '"') return undefined;
  const end = json.endAt(at);
  const colon = end === NONE ? end : skipSpace(json.text, end);
  if (json.text.charAt(colon) !== ":") return undefined;
  const key = json.whole(at, end);
  return typeof key === "string" ? { key, at: skipSpace(json.text, colon + 1) } : undefined;
}

interface Name {
  readonly value: string;
  readonly end: number;
}

/** The first `name`, looked for on the way into whatever is broken; arguments before it mean that it is none. */
function findName(json: JsonText): Name | undefined {
  for (let at = 0; at < json.text.length;) {
    const entry = readKey(json, at);
    if (entry?.key === "arguments" || entry?.key === "parameters") return undefined;
    const valueAt = entry?.at ?? at;
    const end = json.endAt(valueAt);
    if (entry?.key === "name") {
      const value = end === NONE ? undefined : json.whole(valueAt, end);
      return isText(value) ? { value, end } : undefined;
    }
    // A whole item of a list may be another call, and only one call can be repaired.
    if (end !== NONE && entry === undefined && json.text.charAt(at) !== '"') return undefined;
    // Whole members are passed over, broken ones entered.
    if (end !== NONE) at = skipSpace(json.text, end);
    else if (/[{[,]/.test(json.text.charAt(valueAt))) at = skipSpace(json.text, valueAt + 1);
    else return undefined;
  }
  return undefined;
}

/** Among the members behind the name: where the object of the arguments begins. */
function findArguments(json: JsonText, from: number): number {
  for (let entry = nextEntry(json, from); entry !== undefined;) {
    if (entry.key === "arguments" || entry.key === "parameters")
      return json.text.charAt(entry.at) === "{" ? entry.at : NONE;
    const end = json.endAt(entry.at);
    entry = end === NONE ? undefined : nextEntry(json, end);
  }
  return NONE;
}

function nextEntry(json: JsonText, from: number): Entry | undefined {
  const comma = skipSpace(json.text, from);
  return json.text.charAt(comma) === "," ? readKey(json, skipSpace(json.text, comma + 1)) : undefined;
}

/** A path that is whole must come first; then the content, whose end is found by what follows it. */
function repairArguments(json: JsonText, start: number): JsonObject | undefined {
  let path: string | undefined;
  for (let entry = readKey(json, skipSpace(json.text, start + 1)); entry !== undefined;) {
    if (entry.key === "content") {
      const content = path === undefined ? undefined : readBrokenString(json, entry.at);
      return path === undefined || content === undefined ? undefined : { path, content };
    }
    const end = json.endAt(entry.at);
    if (end === NONE) return undefined;
    if (entry.key === "path") {
      const value = json.whole(entry.at, end);
      if (!isText(value)) return undefined;
      path = value;
    }
    entry = nextEntry(json, end);
  }
  return undefined;
}
