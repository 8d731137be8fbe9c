/** Cuts a message into clauses, each with the stage it belongs to: what comes after a "then" waits for what came before. */

export interface Clause {
  readonly text: string;
  /** Rises with each "then"; stages may be empty. */
  readonly stage: number;
}

const THEN = String.raw`(?:and\s+|y\s+)?\b(?:then|afterwards|after\s+that|luego|despues|entonces|a\s+continuacion)\b[,:]?`;
const BREAK = new RegExp(String.raw`${THEN}|[.!?;…]+(?=\s|$)|[¿¡\n]+`, "g");

export function splitClauses(message: string): readonly Clause[] {
  const visible = hideQuoted(foldText(message));
  const clauses: Clause[] = [];
  let start = 0;
  let stage = 0;
  const take = (end: number): void => {
    const text = message.slice(start, end);
    if (text.trim() !== "") clauses.push({ text, stage });
  };
  for (const { 0: mark, index } of visible.matchAll(BREAK)) {
    take(index);
    if (/^[a-z]/.test(mark)) stage++;
    start = index + mark.length;
  }
  take(message.length);
  return clauses;
}

/** Lower case without diacritics, place by place: an index into the result is one into the text. */
export const foldText = (text: string): string =>
  Array.from({ length: text.length }, (_, place) => foldUnit(text.charAt(place))).join("");

const foldUnit = (unit: string): string =>
  unit < "\u0080" ? unit.toLowerCase() : unit.normalize("NFD").charAt(0).toLowerCase().charAt(0);

const QUOTED = /"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu;

/** Each unclosed brace is looked for to the end of the text; a text with more of them holds no JSON. */
const MOST_UNCLOSED = 16;

/** Blanks out JSON, quotations: nothing in them starts a clause, names a tool or is a sum. Indices stay. */
export function hideQuoted(text: string): string {
  let rest = text;
  let unclosed = 0;
  for (let from = rest.indexOf("{"); from >= 0; from = rest.indexOf("{", from + 1)) {
    const end = endOfJson(rest, from);
    if (end !== undefined) rest = rest.slice(0, from) + "\0".repeat(end - from) + rest.slice(end);
    else if (++unclosed === MOST_UNCLOSED) break;
  }
  return rest.replaceAll(QUOTED, (quote) => "\0".repeat(quote.length));
}

/** The quotations of a text, without their marks. */
export const quotationsOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(QUOTED), ([quote]) => quote.slice(1, -1));

/** Where the braces that open at `from` close again; undefined when they never do. */
export function endOfJson(text: string, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let place = from; place < text.length; place++) {
    const sign = text.charAt(place);
    if (inString) {
      if (sign === "\\") place++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return place + 1;
  }
  return undefined;
}
