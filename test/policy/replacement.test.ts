/** An operator's words, as they may stand in for a result or behind a denial. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cleanNote, cleanReplacement } from "../../src/policy/replacement.ts";

test("[AP15] control characters go, tab and line breaks stay", () => {
  expect(cleanReplacement("a\u0007\u001B\t\nb\r\u0000\nc")).toBe("a\t\nb\r\nc");
  expect(cleanReplacement("a\u0007b\u001B[31mc\td\r\ne\u0000\u007F\u0085\u009Ff")).toBe("ab[31mc\td\r\nef");
});

test("[AP15] 70000 bytes of four-byte characters are cut to 65536, without an ellipsis", () => {
  const cut = cleanReplacement("😀".repeat(17_500));
  expect(cut).toBe("😀".repeat(16_384));
  expect(cleanReplacement(`a${"😀".repeat(17_500)}`)).toBe(`a${"😀".repeat(16_383)}`);
});

test("[AP15] exactly 65536 bytes stay whole", () => {
  const whole = "é".repeat(32_768);
  expect(cleanReplacement(whole)).toBe(whole);
  expect(cleanReplacement(`${whole}a`)).toBe(whole);
});

test("[AP16] a note loses its controls first and keeps 1000 code points", () => {
  expect(cleanNote(`\u0007${"😀".repeat(1001)}`)).toBe("😀".repeat(1000));
  expect(cleanNote("no:\twrong account\n")).toBe("no:\twrong account\n");
});

test("[AP15][RX11] any text comes out well-formed, small and free of controls", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat(3), (any, half) => {
      const cleaned = cleanReplacement(`${any.slice(half)}\ud800${any}`);
      expect(cleaned.isWellFormed()).toBe(true);
      expect(cleaned).not.toMatch(/(?![\n\r\t])\p{Cc}/u);
    }),
    { numRuns: 1000 },
  );
});
