/** JsonText: the JSON values inside a text, found without reading any part of it more than a few times. Rules: TP7, TP8, TP24. */
import type { JsonValue } from "../../../../contracts/json.ts";
import { makeWellFormed } from "../../../../contracts/well-formed.ts";
import { NONE, scalarEnd, skipSpace, stringEnd } from "./json-scalars.ts";

export const DEEPEST_JSON = 128;
const UNREAD = 0;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_LIST = 0x5b;
const COLON = 0x3a;
const LONE_ESCAPE = /\\u[dD][89a-fA-F]/;

export interface FoundValue {
  readonly value: JsonValue;
  readonly end: number;
}

/** The one value that a whole text is, white space around it aside; `undefined` when it is no JSON. */
export const parseJson = (text: string): JsonValue | undefined => new JsonText(text).whole(0, text.length);

/**
 * Remembers for each bracket whether a value begins there. When reading breaks off, it breaks off for every container that is
 * open at that point, wherever reading starts; so brackets are settled once, and the number of attempts does not matter.
 */
export class JsonText {
  readonly text: string;
  /** By opening bracket: end of the value, NONE or UNREAD; and how many levels deep it is. */
  readonly #ends: Int32Array;
  readonly #heights: Uint8Array;
  /** By place: the first bracket there or behind it. */
  readonly #nextBrackets: Int32Array;

  constructor(text: string) {
    this.text = text;
    this.#ends = new Int32Array(text.length);
    this.#heights = new Uint8Array(text.length);
    this.#nextBrackets = new Int32Array(text.length);
    for (let at = text.length - 1, next = text.length; at >= 0; at -= 1) {
      if (this.#isBracket(at)) next = at;
      this.#nextBrackets[at] = next;
    }
  }

  /** Where the value that begins at `at` ends; NONE when none begins there. */
  endAt(at: number): number {
    if (this.#isBracket(at) && this.#ends[at] === UNREAD) this.#settle(at);
    return this.#knownEnd(at);
  }

  /** The range as one value of any kind. */
  whole(from: number, to: number): JsonValue | undefined {
    const [start, end] = trimRange(this.text, from, to);
    return start < end && this.endAt(start) === end ? this.#parse(start, end) : undefined;
  }

  /** JSON scan of a range: the range as one value, else each object and array until one is broken. */
  values(from: number, to: number): readonly JsonValue[] {
    const whole = this.whole(from, to);
    if (whole !== undefined) return [whole];
    const values: JsonValue[] = [];
    for (let found = this.next(from, to); found !== undefined; found = this.next(found.end, to))
      values.push(found.value);
    return values;
  }

  /** First value of the JSON scan. */
  first(from: number, to: number): JsonValue | undefined {
    return this.whole(from, to) ?? this.next(from, to)?.value;
  }

  /** The next object or array that ends by `to`. A broken one ends the search: what is nested in it is no value of its own. */
  next(from: number, to: number): FoundValue | undefined {
    for (let at = this.nextBracket(from); at < to; at = this.nextBracket(at + 1)) {
      const end = this.endAt(at);
      if (end !== NONE && end <= to) return { value: this.#parse(at, end), end };
      if (this.#opensData(at)) return undefined;
    }
    return undefined;
  }

  /** Place of the next `{` or `[`; the text's length when there is none. */
  nextBracket(from: number): number {
    return this.#nextBrackets[from] ?? this.text.length;
  }

  #parse(start: number, end: number): JsonValue {
    const raw = this.text.slice(start, end);
    const value = JSON.parse(raw) as JsonValue;
    return LONE_ESCAPE.test(raw) ? makeWellFormed(value) : value;
  }

  /** A bracket that data would open, unlike one in prose. */
  #opensData(at: number): boolean {
    const next = this.text.charAt(skipSpace(this.text, at + 1));
    return next === '"' || (this.text.charAt(at) === "[" && (next === "[" || next === "{"));
  }

  #isBracket(at: number): boolean {
    const code = this.text.charCodeAt(at);
    return code === OPEN_OBJECT || code === OPEN_LIST;
  }

  #knownEnd(at: number): number {
    return this.#isBracket(at) ? (this.#ends[at] ?? NONE) : scalarEnd(this.text, at);
  }

  #settle(start: number): void {
    const open: number[] = [];
    const heights: number[] = [];
    let at = start;
    do at = this.#readEntry(at, open, heights);
    while (at !== NONE && open.length > 0);
    for (const bracket of open) this.#ends[bracket] = NONE;
  }

  /** Reads the value at `at` and closes what ends behind it. Gives the place of the next value; NONE: the open ones are broken. */
  #readEntry(at: number, open: number[], heights: number[]): number {
    let end = this.#knownEnd(at);
    if (end === NONE) return NONE;
    let empty = end === UNREAD;
    if (empty) {
      open.push(at);
      heights.push(1);
      end = at + 1;
    } else raise(heights, this.#heights[at] ?? 0);
    for (let bracket = open.at(-1); bracket !== undefined; bracket = open.at(-1)) {
      const next = skipSpace(this.text, end);
      if (this.text.charCodeAt(next) !== this.#closerOf(bracket)) {
        if (!empty && this.text.charCodeAt(next) !== COMMA) return NONE;
        return this.#valueStart(bracket, empty ? next : skipSpace(this.text, next + 1));
      }
      const height = heights.pop() ?? 1;
      if (height > DEEPEST_JSON) return NONE;
      open.pop();
      end = next + 1;
      empty = false;
      this.#ends[bracket] = end;
      this.#heights[bracket] = height;
      raise(heights, height);
    }
    return end;
  }

  /** In an object a value stands behind its key. */
  #valueStart(bracket: number, at: number): number {
    if (this.text.charAt(bracket) === "[") return at;
    const end = stringEnd(this.text, at);
    if (end === NONE) return NONE;
    const colon = skipSpace(this.text, end);
    return this.text.charCodeAt(colon) === COLON ? skipSpace(this.text, colon + 1) : NONE;
  }

  #closerOf(bracket: number): number {
    return this.text.charCodeAt(bracket) + 2;
  }
}

/** A container is one level deeper than the deepest of its entries. */
function raise(heights: number[], entry: number): void {
  const top = heights.length - 1;
  if (top >= 0) heights[top] = Math.max(heights[top] ?? 1, entry + 1);
}

/** The range without the white space at its ends. */
export function trimRange(text: string, from: number, to: number): readonly [number, number] {
  const range = text.slice(from, to);
  const start = to - range.trimStart().length;
  return [start, start + range.trim().length];
}
