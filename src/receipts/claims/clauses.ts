/** Clauses of a text with their places: a claim stands in one, and so does what takes it back. Rules: RE10. */

export interface Clause {
  readonly text: string;
  /** Where it begins in the whole text, in UTF-16 units. */
  readonly start: number;
}

/** Longer texts are checked up to here. */
const MOST_CHARS = 16_384;

/** A full stop ends one only before white space, so that numbers, names and links stay whole. */
const END = /[.!?;](?=\s|$)|[。！？；।\n]/g;
const FENCE = /```[\s\S]*?(?:```|$)/g;

/** Code blocks show code, and claim nothing. Their place is kept. */
export function splitClauses(whole: string): readonly Clause[] {
  const text = whole.slice(0, MOST_CHARS).replace(FENCE, (code) => code.replace(/[^\n]/g, " "));
  const clauses: Clause[] = [];
  let start = 0;
  for (const { index } of text.matchAll(END)) {
    clauses.push({ text: text.slice(start, index + 1), start });
    start = index + 1;
  }
  clauses.push({ text: text.slice(start), start });
  return clauses.filter((clause) => clause.text.trim() !== "");
}
