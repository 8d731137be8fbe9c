/** SourceText: a response as the formats see it, where markup inside a JSON value is data. Rules: TP18, TP19, TP24. */
import { NONE } from "./json-scalars.ts";
import { JsonText } from "./json-text.ts";

/** Where something begins and ends; the end is not part of it. */
export interface Range {
  readonly at: number;
  readonly end: number;
}
export interface Mark extends Range {
  readonly groups: readonly (string | undefined)[];
}

/**
 * Formats share one walk over the text: every body begins outside the JSON values that this walk finds, so a terminator found
 * outside of them is the one that a walk from the body's start would find.
 */
export class SourceText {
  readonly text: string;
  readonly json: JsonText;
  readonly #spans: readonly Range[];
  readonly #marks = new Map<RegExp, readonly Mark[]>();

  constructor(text: string) {
    this.text = text;
    this.json = new JsonText(text);
    this.#spans = findSpans(this.json);
  }

  /** Whether `at` lies inside a JSON value. */
  isData(at: number): boolean {
    const span = this.#spans[indexFrom(this.#spans, at + 1) - 1];
    return span !== undefined && at < span.end;
  }

  /** Everything that a global pattern finds, unless it begins or ends inside a JSON value. */
  marks(pattern: RegExp): readonly Mark[] {
    const known = this.#marks.get(pattern);
    if (known !== undefined) return known;
    const marks: Mark[] = [];
    for (const match of this.text.matchAll(pattern)) {
      const [found, ...groups] = match;
      const end = match.index + found.length;
      if (!this.isData(match.index) && !this.isData(end - 1)) marks.push({ at: match.index, end, groups });
    }
    this.#marks.set(pattern, marks);
    return marks;
  }

  /** The first mark that begins at `from` or later, if it ends by `limit`. */
  firstMark(pattern: RegExp, from: number, limit = this.text.length): Mark | undefined {
    const marks = this.marks(pattern);
    const mark = marks[indexFrom(marks, from)];
    return mark !== undefined && mark.end <= limit ? mark : undefined;
  }
}

/** Index of the first range that begins at `at` or later. */
export function indexFrom(ranges: readonly Range[], at: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.at ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findSpans(json: JsonText): readonly Range[] {
  const spans: Range[] = [];
  for (let at = json.nextBracket(0); at < json.text.length;) {
    const end = json.endAt(at);
    if (end !== NONE) spans.push({ at, end });
    at = json.nextBracket(end === NONE ? at + 1 : end);
  }
  return spans;
}

/** The parts that are no calls: trimmed, blank ones dropped, one line break between. */
export function joinPieces(pieces: readonly string[]): string {
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .join("\n");
}

/** What a text is without some of its ranges, given in order. */
export function piecesWithout(text: string, ranges: readonly Range[]): readonly string[] {
  const starts = [0, ...ranges.map(({ end }) => end)];
  return starts.map((start, index) => text.slice(start, ranges[index]?.at));
}
