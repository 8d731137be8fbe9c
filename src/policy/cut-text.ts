/** Cuts of well-formed text, by code points or by UTF-8 bytes; no character is ever split. Rules: AP15–AP17, SC6, DM2. */
import { unitBytes } from "../contracts/utf8-size.ts";

/** The longest prefix of at most `limit` bytes in UTF-8. */
export function cutUtf8(text: string, limit: number): string {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    bytes += unitBytes(text.charCodeAt(at));
    // The first half of a pair has taken two bytes of the limit already: it goes too.
    if (bytes > limit) return text.slice(0, isSecondHalf(text, at) ? at - 1 : at);
  }
  return text;
}

/** The first `limit` code points, and `ending` behind them if anything was cut off. */
export function cutCodePoints(text: string, limit: number, ending = ""): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let left = limit; left > 0 && end < text.length; left -= 1) end += isSecondHalf(text, end + 1) ? 2 : 1;
  return end >= text.length ? text : text.slice(0, end) + ending;
}

/** At most `limit` code points, cut behind a whole word where there is one. */
export function cutAtWord(text: string, limit: number): string {
  const cut = cutCodePoints(text, limit);
  const lastSpace = cut.lastIndexOf(" ");
  return cut.length === text.length || lastSpace <= 0 ? cut : cut.slice(0, lastSpace);
}

const isSecondHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
