/** Broken strings: where a string with unescaped quotes ends, judged by what follows, and what it says. Rules: TP33, TP34. */
import { NONE, skipSpace } from "./json-scalars.ts";
import type { JsonText } from "./json-text.ts";
import { CLOSE_TAG_SOURCE } from "./markup.ts";

/** What closes the objects around the string: braces, then the end, a close tag or a fence. */
const CLOSING = new RegExp(`\\s*\\}[\\s}\\]]*(?:$|${CLOSE_TAG_SOURCE}|\`\`\`)`, "y");
const ESCAPE = /\\(?:u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|["\\/bfnrt])/g;
const SURROGATE = /^\\u[dD][89a-fA-F][0-9A-Fa-f]{2}$/;

/** The last value of its object. Nothing when it has no end, or when more members might follow it. */
export function readBrokenString(json: JsonText, start: number): string | undefined {
  const { text } = json;
  if (text.charAt(start) !== '"') return undefined;
  const passed = new Set<number>();
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    if (character !== '"') continue;
    if (isClosed(text, at + 1)) return decodeEscapes(text.slice(start + 1, at));
    if (hasMoreMembers(json, at + 1, passed)) return undefined;
  }
  return undefined;
}

function isClosed(text: string, at: number): boolean {
  CLOSING.lastIndex = at;
  return CLOSING.test(text);
}

/** Whether `, "field": value` follows, once or more, and then the end. Places that led nowhere before lead nowhere again. */
function hasMoreMembers(json: JsonText, from: number, passed: Set<number>): boolean {
  for (let at = from; !passed.has(at);) {
    passed.add(at);
    at = memberEnd(json, at);
    if (at === NONE) return false;
    if (isClosed(json.text, at)) return true;
  }
  return false;
}

function memberEnd(json: JsonText, from: number): number {
  const { text } = json;
  const comma = skipSpace(text, from);
  if (text.charAt(comma) !== ",") return NONE;
  const key = skipSpace(text, comma + 1);
  const colon = text.charAt(key) === '"' ? skipSpace(text, json.endAt(key)) : NONE;
  return text.charAt(colon) === ":" ? json.endAt(skipSpace(text, colon + 1)) : NONE;
}

/** What is no escape, and half a surrogate pair, stays as it was written. */
function decodeEscapes(raw: string): string {
  return raw.replace(ESCAPE, (escape) => (SURROGATE.test(escape) ? escape : String(JSON.parse(`"${escape}"`))));
}
