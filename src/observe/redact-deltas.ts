/** DeltaRedactor: redacts streamed text so that no secret slips out in two pieces. Rules: SE70, RE26. */
import { MARK, OWN_MARK } from "./marks.ts";
import { findOpenPrivateKey } from "./open-context.ts";

/** Redaction as the streaming kind needs it. */
export interface TextRedactor {
  readonly text: (text: string) => string;
  /** Where the text ends in something that more text may turn into a secret; its length when it does not. */
  readonly openFrom: (text: string) => number;
}

export interface DeltaRedactor {
  /** What may be shown by now; `""` while everything waits. */
  readonly push: (text: string) => string;
  /** The rest: no more text will come. */
  readonly end: () => string;
}

const MOST_HELD = 512;
/** How far to both sides of a cut it is looked at. */
const NEAR = 1024;

/** Something secret that was too long to wait for its end: what still belongs to it is dropped. */
interface Overlong {
  /** What ends it: a sign behind it, or its own last line. */
  readonly end: RegExp;
  /** What may be the beginning of that last line. */
  readonly openEnd: RegExp;
}
const RUN: Overlong = { end: /[\s"'<>,;)}\]]/, openEnd: /$/ };
const PRIVATE_KEY: Overlong = {
  end: /-----END [A-Z ]{0,32}PRIVATE KEY-----|[^A-Za-z0-9+/=\s\\-]/,
  openEnd: /-[-A-Z ]{0,60}$|$/,
};

/**
 * One per streamed message. Joined, its pieces are the redacted text, as long as nothing secret is longer than what is held
 * back: `mostHeld` code units.
 */
export function createDeltaRedactor({ text: redact, openFrom }: TextRedactor, mostHeld = MOST_HELD): DeltaRedactor {
  let held = "";
  let overlong: Overlong | undefined;
  const release = (cut: number): string => {
    const shown = redact(held.slice(0, cut));
    held = held.slice(cut);
    return shown;
  };
  const dropRest = ({ end, openEnd }: Overlong): void => {
    const found = end.exec(held);
    if (found !== null) overlong = undefined;
    held = held.slice(found === null ? held.search(openEnd) : endOf(found));
  };
  /** A cut is clean when both sides come out as they would have together. White space ends all that reaches far. */
  const isClean = (cut: number): boolean => {
    const before = held.slice(Math.max(0, cut - NEAR), cut);
    const after = held.slice(cut, cut + NEAR);
    return redact(before) + redact(after) === redact(before + after);
  };
  return {
    push(text) {
      held += text;
      if (overlong !== undefined) dropRest(overlong);
      if (overlong !== undefined || held === "") return "";
      const open = openFrom(held);
      if (held.length - open <= mostHeld && isClean(open)) return release(open);
      if (held.length <= mostHeld) return "";
      const whole = redact(held);
      const cut = betweenCharacters(held, held.length - mostHeld);
      const before = whole === held ? held.slice(0, cut) : redact(held.slice(0, cut));
      const after = held.slice(cut);
      if (whole === held || before + redact(after) === whole) {
        held = after;
        return before;
      }
      // Something secret lies across the cut: it goes out redacted.
      if (whole.endsWith(MARK) || whole.endsWith(OWN_MARK)) overlong = findOpenPrivateKey(held) < 0 ? RUN : PRIVATE_KEY;
      held = "";
      return whole;
    },
    end() {
      overlong = undefined;
      return release(held.length);
    },
  };
}

/** A sign is not part of what it ends; a last line is. */
const endOf = ({ index, 0: end }: RegExpExecArray): number => (end.length === 1 ? index : index + end.length);

/** Moves a cut behind a surrogate pair that it would split. */
function betweenCharacters(text: string, cut: number): number {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(cut)) ? cut + 1 : cut;
}
