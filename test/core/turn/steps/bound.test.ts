/** Bounding: never longer than the limit, never cut through anything that belongs together. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundResult, boundText, countCodePoints } from "../../../../src/core/turn/steps/bound.ts";

const letters = (count: number): string =>
  Array.from({ length: count }, (_, at) => "abcdefghij".charAt(at % 10)).join("");
const length = (text: string): number => Array.from(text).length;

/** Head, number in the marker, tail; `undefined` without a marker. */
function parts(text: string): { head: string; removed: number; tail: string } | undefined {
  const [, head = "", removed = "", tail = ""] =
    /^([\s\S]*?)\n\[… (\d+) characters removed …\]\n([\s\S]*)$/.exec(text) ?? [];
  return removed === "" ? undefined : { head, removed: Number(removed), tail };
}

function cut(text: string, limit: number): { head: string; removed: number; tail: string } {
  const found = parts(boundText(text, limit).text);
  if (found === undefined) throw new Error("there is no marker");
  return found;
}

describe("limits", () => {
  test("[BD1] a text up to the limit is unchanged, a longer one is not, 0 is off", () => {
    expect(boundText(letters(299), 300)).toEqual({ text: letters(299), chars: 299, truncated: false });
    expect(boundText(letters(300), 300)).toEqual({ text: letters(300), chars: 300, truncated: false });
    expect(boundText(letters(301), 300)).toMatchObject({ chars: 301, truncated: true });
    expect(boundText(letters(60_000), 0)).toEqual({ text: letters(60_000), chars: 60_000, truncated: false });
  });

  test("[BD1] the count is of code points", () => {
    expect(boundText("😀".repeat(300), 300).truncated).toBe(false);
    expect(boundText("😀".repeat(301), 300)).toMatchObject({ chars: 301, truncated: true });
    expect(countCodePoints("a😀\ud83d\ud83d\ude00\udc00\ud83d")).toBe(6);
  });

  test("[BD3] the marker stands on its own line and counts in decimal digits", () => {
    expect(boundText(letters(1000), 100).text).toMatch(/\n\[… 9\d\d characters removed …\]\n/);
  });

  test("[BD4] 1000 letters in 300: two thirds head, one third tail, nothing lost in the count", () => {
    const { head, removed, tail } = cut(letters(1000), 300);
    expect(letters(1000).startsWith(head) && letters(1000).endsWith(tail)).toBe(true);
    expect(Math.abs(head.length - 2 * tail.length)).toBeLessThanOrEqual(2);
    expect(head.length + removed + tail.length).toBe(1000);
    expect(length(boundText(letters(1000), 300).text)).toBeLessThanOrEqual(300);
  });

  test("[BD4] the room is taken for the largest count, whatever is then removed", () => {
    const room = 300 - length("\n[… 10000 characters removed …]\n");
    expect(cut(letters(10_000), 300).head.length).toBe(Math.floor((2 * room) / 3));
    expect(cut(letters(10_000), 300).tail.length).toBe(room - Math.floor((2 * room) / 3));
  });

  test("[BD5] without room for a marker it is a prefix", () => {
    expect(boundText(letters(26), 5)).toEqual({ text: "abcde", chars: 26, truncated: true });
    expect(boundText(letters(26), 1).text).toBe("a");
    const marker = length("\n[… 1000 characters removed …]\n");
    expect(parts(boundText(letters(1000), marker + 1).text)).toBeUndefined();
    expect(parts(boundText(letters(1000), marker + 2).text)).toMatchObject({ removed: 998 });
  });
});

describe("clusters", () => {
  const clusters: readonly (readonly [string, string])[] = [
    ["surrogate pairs", "😀"],
    ["families", "👩‍👩‍👧‍👦"],
    ["flags", "🇦🇺"],
    ["skin tones", "👍🏽"],
    ["combining marks", "e\u0301\u0323"],
    ["Devanagari conjuncts", "क्षि"],
    ["Hangul jamo", "\u1112\u1161\u11ab"],
    ["CR LF", "\r\n"],
    ["tag sequences", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"],
    ["31 marks on one base", `x${"\u0301".repeat(31)}`],
  ];
  test.each(clusters)("[BD6] %s are never split, wherever the cuts fall", (_, cluster) => {
    const text = cluster.repeat(400);
    const whole = (piece: string): boolean =>
      piece.length % cluster.length === 0 && piece === cluster.repeat(piece.length / cluster.length);
    for (let limit = 60; limit < 60 + 2 * length(cluster) + 3; limit += 1) {
      const { head, removed, tail } = cut(text, limit);
      expect([limit, whole(head), whole(tail)]).toEqual([limit, true, true]);
      expect(length(head) + removed + length(tail)).toBe(length(text));
    }
    for (let limit = 1; limit < 30; limit += 1) expect(whole(boundText(text, limit).text)).toBe(true);
  });

  test("[BD6] flags pair up from the start of their run, however long and behind whatever it is", () => {
    for (const before of ["", "x", "xy", "😀", "e\u0301"]) {
      const { head, tail } = cut(before + "🇦🇺".repeat(3000) + before, 1000);
      expect(head.slice(before.length).replaceAll("🇦🇺", "")).toBe("");
      expect(tail.slice(0, tail.length - before.length).replaceAll("🇦🇺", "")).toBe("");
    }
  });

  test("[BD6] a longer cluster may be cut, between code points", () => {
    const text = `x${"\u{1D165}".repeat(400)}`;
    const { head, tail } = cut(text, 300);
    expect([head.isWellFormed(), tail.isWellFormed(), head.length > 100]).toEqual([true, true, true]);
    expect(boundText(text, 7).text).toBe(`x${"\u{1D165}".repeat(6)}`);
  });

  test("[BD7] what is moved out of a head or a tail is counted, down to nothing", () => {
    const text = "👩‍👩‍👧‍👦".repeat(60);
    const marker = length("\n[… 420 characters removed …]\n");
    expect(boundText(text, marker + 6).text).toBe("\n[… 420 characters removed …]\n");
  });
});

describe("image markers", () => {
  const image = "[IMAGE:image/png 12 kB]";
  const around = (before: number, marker: string, after: number): string => letters(before) + marker + letters(after);

  test("[BD6] one over the head's cut is dropped whole", () => {
    for (let before = 160; before <= 200; before += 1) {
      const { head } = cut(around(before, image, 1000), 300);
      expect(head.includes("[") ? head.includes(image) : !/[A-Z:]/.test(head), `${before}`).toBe(true);
    }
    expect(cut(around(170, image, 1000), 300).head).toBe(letters(170));
  });

  test("[BD6] one over the tail's cut is dropped whole", () => {
    for (let after = 60; after <= 100; after += 1) {
      const { tail } = cut(around(1000, image, after), 300);
      expect(tail.includes("]") ? tail.includes(image) : !/[A-Z:/]/.test(tail), `${after}`).toBe(true);
    }
    expect(cut(around(1000, image, 80), 300).tail).toBe(letters(80));
  });

  test("[BD6] one within the head or the tail is kept", () => {
    const { head, tail } = cut(`${image}${letters(1000)}${image}`, 300);
    expect([head.startsWith(image), tail.endsWith(image)]).toEqual([true, true]);
  });

  test("[BD6] one that nothing closes may be cut, and so may other brackets", () => {
    expect(cut(around(170, image.slice(0, -1), 1000), 300).head).toMatch(/\[IMAGE:.*$/);
    expect(cut(around(170, "[Image:image/png 12 kB]", 1000), 300).head).toMatch(/\[Image:[^\]]*$/);
  });

  test("[BD6] one over both cuts leaves what is before and behind it", () => {
    expect(cut(`ab[IMAGE:${letters(1000)}]yz`, 300)).toEqual({ head: "ab", removed: 1008, tail: "yz" });
  });

  test("[BD6] markers in a row, and one opened in another, are kept or dropped whole", () => {
    const { head } = cut(letters(160) + image.repeat(3) + letters(1000), 300);
    expect(head).toBe(letters(160) + image.repeat(Math.floor((head.length - 160) / image.length)));
    expect(cut(around(160, `[IMAGE:${image}`, 1000), 300).head).toBe(letters(160));
  });
});

const alphabet = fc.constantFrom(
  "a",
  "é",
  "e\u0301",
  "😀",
  "👩‍👩‍👧‍👦",
  "🇦🇺",
  "🇦",
  "\u200d",
  "\u0301",
  "\r\n",
  "[IMAGE:x]",
  "[IMAGE:",
  "]",
  "क्ष",
  "\n",
);
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.array(alphabet, { maxLength: 300 }).map((drawn) => drawn.join("")),
);

/** A text that is over the limit drawn with it, and a limit with room for a marker. */
const cutting = fc
  .tuple(anyText, fc.nat(299))
  .map(([drawn, share]) => ({ text: drawn.toWellFormed().padEnd(60, "x"), share }))
  .map(({ text, share }) => ({ text, limit: 34 + Math.floor(((length(text) - 34) * share) / 300) }));

describe("for any text and limit", () => {
  test("[BD1][BD4] never over the limit, unchanged up to it, well-formed", () => {
    fc.assert(
      fc.property(anyText, fc.nat(300), (drawn, limit) => {
        const text = drawn.toWellFormed();
        const bounded = boundText(text, limit);
        const fits = limit === 0 || length(text) <= limit;
        expect(bounded.chars).toBe(length(text));
        expect(bounded.truncated).toBe(!fits);
        expect(fits ? bounded.text : text).toBe(text);
        expect(fits || length(bounded.text) <= limit).toBe(true);
        expect(bounded.text.isWellFormed()).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("[BD3][BD7] head, count and tail make up the whole", () => {
    fc.assert(
      fc.property(cutting, ({ text, limit }) => {
        const { head, removed, tail } = cut(text, limit);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(length(head) + removed + length(tail)).toBe(length(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("[BD6] cuts fall between clusters of the whole text, unless one is over 32", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(cutting, ({ text, limit }) => {
        const { head, tail } = cut(text, limit);
        for (const at of [head.length, text.length - tail.length]) {
          const found = at > 0 && at < text.length ? segmenter.segment(text).containing(at) : undefined;
          expect(found === undefined || found.index === at || length(found.segment) > 32).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each(["a", "😀", "🇦🇺", "[IMAGE:", "]", "\u0301", "[IMAGE:x]"])(
    "[BD1] five megabytes of %j are cut in one pass",
    (piece) => {
      const text = piece.repeat(Math.floor(5_000_000 / piece.length));
      expect(length(boundText(text, 50_000).text)).toBeLessThanOrEqual(50_000);
    },
  );
});

describe("results", () => {
  const raw = { disposition: "succeeded", text: "", ownWords: false } as const;

  test("[BD10] a result is made inert first, then bounded; its length is the raw one's", () => {
    const text = "<tool_call>".repeat(200);
    const bounded = boundResult({ ...raw, text }, 300);
    expect(bounded).toMatchObject({ raw: { text }, chars: 2200, truncated: true });
    expect(bounded.shown.startsWith("<\\tool_call><\\tool_call>")).toBe(true);
    expect(length(bounded.shown)).toBeLessThanOrEqual(300);
  });

  test("[BD10] a planted receipt is inert however short the result", () => {
    const bounded = boundResult({ ...raw, text: "[receipt: zc-receipt-1-a]" }, 300);
    expect(bounded).toMatchObject({ shown: "[\\receipt: zc-quoted-receipt-1-a]", chars: 25, truncated: false });
  });

  test("[BD2] the runtime's own sentences stay as they are", () => {
    const sentence = { disposition: "timed_out", text: letters(400), ownWords: true } as const;
    expect(boundResult(sentence, 10)).toMatchObject({ shown: letters(400), chars: 400, truncated: false });
  });
});
