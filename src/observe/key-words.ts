/** Values behind key words in a text: `token: "…"`, `api_key=…`, `Bearer …`. Rules: RE23, RE24, SE71. */
import { isCredentialKey, isTokenCount } from "./credential-keys.ts";
import { MARK, OWN_MARK } from "./marks.ts";

const SHORTEST_VALUE = 8;
const SHOWN_CHARS = 4;

const AUTHORIZATION =
  /(?<![A-Za-z0-9_-])(authorization\\?["']?\s*[:=]\s*\\?["']?(?:bearer|basic)\s+\\?["']?)([^\s"',;\\]+)/gi;
const SCHEME = /(?<![A-Za-z0-9_-])([Bb]earer|BEARER|Basic)(\\?["']?\s+\\?["']?)[A-Za-z0-9_\-./+=~]{8,}/g;

/** A word as far as it goes, and what joins it to a value. Begins at the start of a word only, so that each is read once. */
const KEY = /(?<![A-Za-z0-9_-])([A-Za-z0-9_-]+)\\?["']?\s*[:=]=?>?\s*/g;
const BARE_VALUE = /[A-Za-z0-9_\-./+=]*/y;
const QUOTE = /\\?["']/y;
const NUMBER = /^[0-9][0-9.,_]*$/;
/** Values of which another rule has left nothing. */
const REDACTED = /^(?:(?:bearer|basic)\s+)?\[REDACTED(?::own)?\]$/i;

export function redactSchemes(text: string): string {
  return text
    .replace(AUTHORIZATION, (_, scheme: string, value: string) => scheme + (value === OWN_MARK ? OWN_MARK : MARK))
    .replace(SCHEME, (_, scheme: string, joint: string) => scheme + joint + MARK);
}

/** A key's value is looked at even if it is the key of another: `auth: token=…`. */
export function redactKeyWords(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (const { 0: joined, 1: key = "", index } of text.matchAll(KEY)) {
    if (index < kept || !isCredentialKey(key)) continue;
    const value = findValue(text, index + joined.length);
    if (!isSecret(key, value.text)) continue;
    pieces.push(text.slice(kept, value.start), firstCharacters(value.text), `*${MARK}`);
    kept = value.start + value.text.length;
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

interface FoundValue {
  readonly start: number;
  readonly text: string;
}

/** Quoted, or a bare run. A quote that is never closed was cut off: what follows it counts as a run. */
function findValue(text: string, from: number): FoundValue {
  const quote = matchAt(QUOTE, text, from);
  const start = from + quote.length;
  const end = quote === "" ? -1 : endOfQuoted(text, start, quote);
  return { start, text: end < 0 ? matchAt(BARE_VALUE, text, start) : text.slice(start, end) };
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? "";
}

/** The first quote of the same kind that is not escaped itself; −1 when there is none. */
export function endOfQuoted(text: string, start: number, quote: string): number {
  const escaped = quote.startsWith("\\");
  const sign = quote.slice(-1);
  for (let at = text.indexOf(sign, start); at >= 0; at = text.indexOf(sign, at + 1)) {
    const slashes = countSlashes(text, start, at);
    if (!escaped && slashes % 2 === 0) return at;
    // Inside a string that is itself escaped, one backslash belongs to the quote, and none ends the string around it.
    if (escaped && slashes <= 1) return at - slashes;
  }
  return -1;
}

function countSlashes(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.charAt(at - 1) === "\\") at -= 1;
  return end - at;
}

function isSecret(key: string, value: string): boolean {
  if (codePoints(value, SHORTEST_VALUE).length < SHORTEST_VALUE || REDACTED.test(value)) return false;
  return !(isTokenCount(key) && NUMBER.test(value));
}

const firstCharacters = (value: string): string => codePoints(value, SHOWN_CHARS).join("");

/** The first `most` characters: each takes two code units at most. */
const codePoints = (text: string, most: number): readonly string[] =>
  Array.from(text.slice(0, 2 * most)).slice(0, most);
