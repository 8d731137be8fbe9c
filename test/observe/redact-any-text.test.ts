/** Redaction of any text: nothing fails, nothing secret is left, nothing is read twice over. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/observe/redact.ts";
import { createDeltaRedactor } from "../../src/observe/redact-deltas.ts";
import { credentials, OWN_SECRET, PLAIN_SECRET, PRIVATE_KEY, RECEIPT } from "./secret-samples.ts";

const redactor = createRedactor({ secrets: [OWN_SECRET, PLAIN_SECRET] });
const { text } = redactor;

const credentialTexts = credentials.map(([, credential]) => credential);
const words = [
  "token",
  "api_key",
  "Authorization",
  "Bearer",
  "Basic",
  "Cookie",
  "password",
  "pwd",
  "max_tokens",
  "auth",
  ":",
  "=",
  ": ",
  " = ",
  '"',
  "'",
  '\\"',
  "\\",
  ", ",
  ";",
  "\n",
  " ",
  "  ",
  "://",
  "@",
  "[",
  "]",
  "{",
  "}",
  "abcdefgh",
  "abc",
  "12345678",
  "sid=abc",
  "lorem ipsum",
  "😀",
  "é",
  "\u00A0",
  "-",
  "_",
  "x",
  "[REDACTED]",
  "-----BEGIN ",
  "-----",
  RECEIPT,
];
const draw = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((drawn) => drawn.join(""));
/** Two credentials without anything between them are neither. */
const apart = [OWN_SECRET, PLAIN_SECRET, ...credentialTexts].map((secret) => ` ${secret} `);
const hostile = draw([...words, ...apart]);
const glued = draw([...words, PRIVATE_KEY, OWN_SECRET, PLAIN_SECRET, ...credentialTexts]);

function redactInDeltas(whole: string, cuts: readonly number[]): string {
  const deltas = createDeltaRedactor(redactor);
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((one, other) => one - other);
  const shown = [0, ...places].map((from, index) => deltas.push(whole.slice(from, places[index])));
  return shown.join("") + deltas.end();
}

describe("for any text", () => {
  test("[RE26] redaction fails on none", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), hostile, fc.constant("\ud83d")), { maxLength: 12 }),
        (drawn) => {
          const whole = drawn.join("");
          expect(text(whole).isWellFormed() || !whole.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("[RE25][SE69] no own secret and no whole credential is left", () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom(OWN_SECRET, PLAIN_SECRET, ...credentialTexts),
        hostile,
        (before, secret, after) => {
          expect(text(`${before} ${secret} ${after}`)).not.toContain(secret);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("[RE26] redacting twice changes nothing more", () => {
    fc.assert(
      fc.property(hostile, (whole) => {
        const once = text(whole);
        expect(text(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  test("[RE27] every receipt comes through, in order", () => {
    const receipts = (any: string): readonly string[] => any.match(/zc-receipt-[0-9]{1,16}-[A-Za-z0-9_-]{43}/g) ?? [];
    fc.assert(
      fc.property(hostile, (whole) => {
        expect(receipts(text(whole))).toEqual(receipts(whole));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("deltas", () => {
  test("[SE70] joined they are the redacted text, wherever it was cut", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, glued), fc.array(fc.nat(512), { maxLength: 12 }), (whole, cuts) => {
        fc.pre(whole.length <= 512);
        expect(redactInDeltas(whole, cuts)).toBe(text(whole));
      }),
      { numRuns: 3000 },
    );
  });

  test("[SE70] no secret slips through, cut anywhere, one character at a time too", () => {
    for (const secret of [OWN_SECRET, PLAIN_SECRET, ...credentialTexts]) {
      const whole = `It is ${secret} and that is all.`;
      expect(
        redactInDeltas(
          whole,
          Array.from(whole, (_, at) => at),
        ),
      ).toBe(text(whole));
    }
  });

  test("[SE70] ordinary words go out as soon as the next one begins", () => {
    const deltas = createDeltaRedactor(redactor);
    expect(["Hel", "lo", " wor", "ld, how", " are"].map((piece) => deltas.push(piece))).toEqual([
      "",
      "",
      "Hello",
      " world,",
      " how",
    ]);
    expect(deltas.end()).toBe(" are");
  });

  test("[SE70] a key word is held until its value has come", () => {
    const deltas = createDeltaRedactor(redactor);
    expect(["the token", ": ", '"abcd', " efgh", '" is'].map((piece) => deltas.push(piece))).toEqual([
      "the",
      "",
      "",
      "",
      ' token: "abcd*[REDACTED]"',
    ]);
    expect(deltas.end()).toBe(" is");
  });

  test("[SE70] of a run without white space at most 512 characters are held back", () => {
    const deltas = createDeltaRedactor(redactor);
    expect(deltas.push("x".repeat(512))).toBe("");
    expect(deltas.push("y")).toBe("x");
    expect(deltas.push(`${"😀".repeat(300)}z`)).toBe("x".repeat(511) + "y" + "😀".repeat(45));
    expect(deltas.end()).toBe(`${"😀".repeat(255)}z`);
  });

  test("[SE70] what is longer than that goes out redacted, and its rest is dropped", () => {
    const deltas = createDeltaRedactor(redactor);
    const shown = [`see sk-${"a".repeat(600)}`, "b".repeat(600), "b, then", " more"].map((piece) => deltas.push(piece));
    expect(shown.join("") + deltas.end()).toBe("see [REDACTED], then more");
  });

  test("[SE70] a private key in small pieces is one mark", () => {
    const whole = `before\n${PRIVATE_KEY}\nafter it.`;
    const cuts = Array.from({ length: 300 }, (_, index) => index * 7);
    expect(redactInDeltas(whole, cuts)).toBe("before\n[REDACTED]\nafter it.");
  });
});

describe("long texts", () => {
  const size = 1_048_576;
  test.each([
    ...'lorem ipsum |eyJ|eyJ-|-eyJ|ct_-|a-|a.|token=|token="|token=\'\\|token=\\"|cookie:|cookie=a|://a:|Bearer |sk-|-|\\|"|😀'.split(
      "|",
    ),
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    " ",
    "zc-receipt-1-",
    "plainsecret012",
  ])("[SE71] 1 MiB of %j is read in one pass", (piece) => {
    const whole = piece.repeat(size / piece.length);
    expect(text(`${whole} ${PLAIN_SECRET} ${whole}`).includes(PLAIN_SECRET)).toBe(false);
  });

  test("[SE71][RE26] 8 MiB without white space, of one credential, too", () => {
    expect(text(`a sk-${"x".repeat(8 * size)} b`) === "a [REDACTED] b").toBe(true);
    const run = "x".repeat(8 * size);
    expect(text(run) === run).toBe(true);
  });

  test("[RE26] a long text comes out as its parts do", () => {
    const part = `{"name": "x", "token": "abcdefgh", "note": "é😀 ${RECEIPT}"},\n`;
    const count = Math.ceil(300_000 / part.length);
    expect(text(part.repeat(count)) === text(part).repeat(count)).toBe(true);
  });
});
