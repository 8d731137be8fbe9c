/** Evidence: what the results of a turn can bear out – how many of something, whether anything, which links. Rules: RE10. */
import type { ToolRun } from "../../contracts/text-check.ts";

/** Of one result, beyond which it is not read: the check must stay cheap. */
const MOST_CHARS = 262_144;
const MOST_NODES = 20_000;

export interface Counted {
  /** Entries of the outermost list; absent when the result is no list. */
  readonly entries: number | undefined;
  /** Every number that may be told of it: lengths of lists, totals that it states itself. */
  readonly counts: ReadonlySet<number>;
}

const TOTALS = /(?:^|_)(?:count|counts|total|totals|size|length|num|number|hits|matches)(?:_|$)|(?:Count|Total)$/;
const LIST_LINE = /^[ \t]{0,8}(?:[-*•–]|\d{1,4}[.)]|\[\d{1,4}\])[ \t]+\S/;
const STATED = /(?<![\p{L}\p{N}.,-])\d{1,6}(?![\p{N}%]|[.,:/-]\d)/gu;

/** A result is counted when it is JSON, or text in which at least two lines look like entries of a list. */
export function countResult({ shown, truncated }: ToolRun): Counted | undefined {
  if (truncated || shown.length > MOST_CHARS) return undefined;
  const text = shown.trim();
  const json = /^[[{]/.test(text) ? parseJson(text) : undefined;
  return json === undefined ? countLines(text) : countJson(json);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function countJson(root: unknown): Counted {
  const counts = new Set<number>();
  let entries: number | undefined;
  let left = MOST_NODES;
  let level: readonly unknown[] = [root];
  while (level.length > 0 && left > 0) {
    const next: unknown[] = [];
    const lists = level.filter(Array.isArray);
    // The outermost list is what is counted; two beside each other are none.
    if (entries === undefined && lists.length === 1) entries = lists[0]?.length;
    for (const node of level) {
      left -= 1;
      if (Array.isArray(node)) {
        counts.add(node.length);
        next.push(...node.slice(0, left));
      } else if (typeof node === "object" && node !== null) {
        for (const [name, member] of Object.entries(node)) {
          if (typeof member === "number" && TOTALS.test(name)) counts.add(member);
          next.push(member);
        }
      }
    }
    level = next;
  }
  return { entries, counts };
}

function countLines(text: string): Counted | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const listed = lines.filter((line) => LIST_LINE.test(line)).length;
  if (listed < 2) return undefined;
  const prose = lines.filter((line) => !LIST_LINE.test(line)).join("\n");
  const stated = Array.from(prose.matchAll(STATED), ([number]) => Number(number));
  return { entries: listed, counts: new Set([listed, ...stated]) };
}

const EMPTY = /^(?:|\(no output\)|\[\]|\{\}|null|none|""|0)$/i;
const SAYS_NOTHING =
  /(?<!\p{L})(?:no|zero|0) (?:\p{L}+ ){0,2}(?:results?|matches|matching|items?|entries|records?|rows?|documents?|files?|hits|data|found)|not found|nothing (?:was )?found|(?<!\p{L})sin resultados|no se encontr|ning[uú]n|नहीं मिल|कोई परिणाम नहीं|没有找到|未找到|没有结果|无结果/iu;

/** Whether a result can be told as nothing: it is empty, its list is, or it says so itself. */
export function isEmptyResult(run: ToolRun): boolean {
  const text = run.shown.trim();
  if (EMPTY.test(text)) return true;
  const counted = countResult(run);
  if (counted?.entries !== undefined && /^[[{]/.test(text)) return counted.entries === 0;
  return SAYS_NOTHING.test(text.slice(0, 4096));
}

/** Links compare without scheme, `www.`, fragment and whatever prose leaves at their end. */
export function normalizeUrl(url: string): string {
  return url
    .replace(/^https?:\/\//i, "")
    .replace(/^www\./i, "")
    .replace(/#.*$/, "")
    .replace(/[/.,;:!?]+$/, "")
    .toLowerCase();
}

const SCHEME = /https?:\/\/(?:www\.)?/gi;

/** Everything a link may have been taken from, as one text to look into. */
export function linkText(texts: readonly string[]): string {
  return texts.join("\n").replaceAll("\\/", "/").replace(SCHEME, "").replace(/www\./gi, "").toLowerCase();
}
