/** Private keys in PEM form, whole or cut off at either end. Rules: SE69, SE71. */
import { MARK } from "./marks.ts";

const FENCE = "-----";
const START = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/g;
const END = /-----END [A-Z ]{0,32}PRIVATE KEY-----/g;
const END_HERE = new RegExp(`^${END.source}`);
const LONGEST_LINE = 64;
/** Base64 in lines, the breaks also as escapes. */
const BODY = /[A-Za-z0-9+/=\s\\]/;

/** From the first line to the last; a block without one of them goes as far as it looks like one. */
export function redactPrivateKeys(text: string): string {
  return text.includes(FENCE) ? removeTails(removeBlocks(text)) : text;
}

function removeBlocks(text: string): string {
  let cleaned = "";
  let kept = 0;
  for (const { index, 0: line } of text.matchAll(START)) {
    cleaned += text.slice(kept, index) + MARK;
    kept = endOfBlock(text, index + line.length);
  }
  return cleaned + text.slice(kept);
}

/** Blocks cannot nest: the next fence is either this one's end or none of its business. */
function endOfBlock(text: string, from: number): number {
  const fence = text.indexOf(FENCE, from);
  const end = fence < 0 ? null : END_HERE.exec(text.slice(fence, fence + LONGEST_LINE));
  if (end !== null) return fence + end[0].length;
  let at = from;
  while (BODY.test(text.charAt(at))) at += 1;
  return at;
}

function removeTails(text: string): string {
  let cleaned = "";
  let kept = 0;
  for (const { index, 0: line } of text.matchAll(END)) {
    let start = index;
    while (start > kept && BODY.test(text.charAt(start - 1))) start -= 1;
    cleaned += text.slice(kept, start) + MARK;
    kept = index + line.length;
  }
  return cleaned + text.slice(kept);
}
