/** Step 8, bound: result text is made inert, then cut to a head and a tail around a marker. Rules: BD1, BD3–BD7, BD10. */
import { makeInert } from "../../../policy/inert.ts";
import type { RawResult } from "../execute-call.ts";

export interface BoundedText {
  readonly text: string;
  /** Code points before bounding. */
  readonly chars: number;
  readonly truncated: boolean;
}

export interface BoundedResult {
  readonly raw: RawResult;
  /** What the model sees, without the receipt line. */
  readonly shown: string;
  /** Code points of the raw text. */
  readonly chars: number;
  readonly truncated: boolean;
}

/** Clusters up to this many code points are kept whole. */
const LONGEST_CLUSTER = 32;
const IMAGE_START = "[IMAGE:";

/** Sentences of the runtime are no results: they stay as they are (BD2). */
export function boundResult(raw: RawResult, limit: number): BoundedResult {
  if (raw.ownWords) return { raw, shown: raw.text, chars: countCodePoints(raw.text), truncated: false };
  const inert = makeInert(raw.text);
  const { text, chars, truncated } = boundText(inert, limit);
  return { raw, shown: text, chars: inert === raw.text ? chars : countCodePoints(raw.text), truncated };
}

/** At most `limit` code points of well-formed text, marker included; 0 is off. Linear in time, one copy in space. */
export function boundText(text: string, limit: number): BoundedText {
  const chars = countCodePoints(text);
  if (limit === 0 || chars <= limit) return { text, chars, truncated: false };
  const room = limit - countCodePoints(marker(chars));
  if (room < 2) return { text: text.slice(0, cutBack(text, advance(text, 0, limit))), chars, truncated: true };
  const headRoom = Math.floor((2 * room) / 3);
  const head = text.slice(0, cutBack(text, advance(text, 0, headRoom)));
  const tail = text.slice(cutOn(text, retreat(text, text.length, room - headRoom)));
  const removed = chars - countCodePoints(head) - countCodePoints(tail);
  return { text: head + marker(removed) + tail, chars, truncated: true };
}

const marker = (removed: number): string => `\n[… ${removed} characters removed …]\n`;

/** A surrogate pair is one, and so is a surrogate on its own. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (isPair(text, at)) {
      pairs += 1;
      at += 1;
    }
  }
  return text.length - pairs;
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
/** True when the code units on both sides of `at` are one character. */
const isPair = (text: string, at: number): boolean => isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));

/** Index `count` code points after `from`, or the end. */
function advance(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at += isPair(text, at + 1) ? 2 : 1;
  return at;
}

/** Index `count` code points before `from`, or the start. */
function retreat(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left -= 1) at -= at > 1 && isPair(text, at - 1) ? 2 : 1;
  return at;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Moves a cut back to the start of whatever it would split; leaving one thing may land it inside another. */
function cutBack(text: string, cut: number): number {
  const split = imageAround(text, cut) ?? clusterAround(text, cut);
  return split === undefined ? cut : cutBack(text, split.start);
}

/** The same for the tail: on, to the end. */
function cutOn(text: string, cut: number): number {
  const split = imageAround(text, cut) ?? clusterAround(text, cut);
  return split === undefined ? cut : cutOn(text, split.end);
}

/** The closed `[IMAGE:…]` around a cut: it opens after the last `]` before the cut, and some `]` follows. */
function imageAround(text: string, cut: number): Span | undefined {
  if (cut === 0 || cut === text.length) return undefined;
  const start = text.indexOf(IMAGE_START, text.lastIndexOf("]", cut - 1) + 1);
  if (start < 0 || start >= cut) return undefined;
  const close = text.indexOf("]", cut);
  return close < 0 ? undefined : { start, end: close + 1 };
}

/**
 * The grapheme cluster around a cut, if it is short enough to be kept. Only a window is segmented. Inside a cluster that
 * lies wholly in the window nothing depends on what is before it, except that flags pair up from the start of their run.
 */
function clusterAround(text: string, cut: number): Span | undefined {
  if (cut === 0 || cut === text.length) return undefined;
  const from = pairedStart(text, retreat(text, cut, LONGEST_CLUSTER + 1));
  const window = text.slice(from, advance(text, cut, LONGEST_CLUSTER + 1));
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const found = segmenter.segment(window).containing(cut - from);
  if (found === undefined || found.index === cut - from) return undefined;
  if (countCodePoints(found.segment) > LONGEST_CLUSTER) return undefined;
  return { start: from + found.index, end: from + found.index + found.segment.length };
}

/** A regional indicator, half of a flag: U+1F1E6 to U+1F1FF. */
const isIndicator = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 0xd83c && text.charCodeAt(at + 1) >= 0xdde6 && text.charCodeAt(at + 1) <= 0xddff;

/** Keeps a window from starting between the two halves of a flag. */
function pairedStart(text: string, from: number): number {
  let runStart = from;
  while (runStart > 1 && isIndicator(text, runStart - 2)) runStart -= 2;
  return ((from - runStart) / 2) % 2 === 0 ? from : from - 2;
}
