/** Own secrets: finds the product's configured secrets in a text, in any spelling, in one pass. Rules: RE25, SE68, SE71. */
import { OWN_MARK } from "./marks.ts";
import { secretSpellings } from "./secret-spellings.ts";

/** Anything shorter would hit ordinary words. */
const SHORTEST_SECRET = 8;
/** Spellings are looked up by their first characters; none is shorter than this. */
const HEAD_CHARS = 4;

export interface OwnSecrets {
  /** The text with each spelling of each secret replaced by `[REDACTED:own]`. */
  remove(text: string): string;
  /** Where the text may end in the first half of a spelling that has white space in it; its length when it does not. */
  openFrom(text: string): number;
}

export function createOwnSecrets(secrets: Iterable<string>): OwnSecrets {
  const long = [...secrets].filter(({ length }) => length >= SHORTEST_SECRET);
  const spellings = [...new Set(long.flatMap(secretSpellings))].filter(({ length }) => length >= HEAD_CHARS);
  const spaced = spellings.filter((spelling) => /\s/.test(spelling));
  const byHead = groupByHead(spellings);
  const heads = new Set(spellings.map((spelling) => pairOf(spelling, 0)));
  return {
    remove: (text) => (byHead.size === 0 ? text : removeSpellings(text, byHead, heads)),
    openFrom: (text) => Math.min(text.length, ...spaced.map((spelling) => findOpenHead(text, spelling))),
  };
}

/** Two code units as one number: cheap enough to look up at every place of a text. */
const pairOf = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);

/** Longest first, so that no shorter spelling leaves the end of a longer one behind. */
function groupByHead(spellings: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const spelling of spellings.toSorted((one, other) => other.length - one.length)) {
    const head = spelling.slice(0, HEAD_CHARS);
    groups.set(head, [...(groups.get(head) ?? []), spelling]);
  }
  return groups;
}

function removeSpellings(
  text: string,
  byHead: ReadonlyMap<string, readonly string[]>,
  heads: ReadonlySet<number>,
): string {
  let cleaned = "";
  let kept = 0;
  let at = 0;
  const last = text.length - HEAD_CHARS;
  while (at <= last) {
    const found = heads.has(pairOf(text, at))
      ? byHead.get(text.slice(at, at + HEAD_CHARS))?.find((spelling) => text.startsWith(spelling, at))
      : undefined;
    if (found === undefined) {
      at += 1;
      continue;
    }
    cleaned += text.slice(kept, at) + OWN_MARK;
    at += found.length;
    kept = at;
  }
  return kept === 0 ? text : cleaned + text.slice(kept);
}

function findOpenHead(text: string, spelling: string): number {
  for (let at = Math.max(0, text.length - spelling.length + 1); at < text.length; at += 1) {
    if (spelling.startsWith(text.slice(at))) return at;
  }
  return text.length;
}
