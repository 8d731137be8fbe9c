/** Searching by words: how many of a query's words a text holds, ASCII case aside. Rules: TS12, DM5, TC33. */
import { foldAscii } from "../policy/fold-ascii.ts";

/** Folded, split at white space; one that is there twice counts twice. */
export const wordsOf = (query: string): readonly string[] => foldAscii(query.trim()).split(/\s+/);

/** No word holds a line break, so none is found half in one line of the text and half in the next. */
export function countWords(words: readonly string[], text: string): number {
  const folded = foldAscii(text);
  return words.filter((word) => folded.includes(word)).length;
}
