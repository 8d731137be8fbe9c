/** Cuts that never split a character. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutCodePoints, cutUtf8 } from "../../src/policy/cut-text.ts";

const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "👩‍👩‍👧", "\u0301"), maxLength: 40 });

describe("for any text", () => {
  test("[AP15] a cut by bytes is the longest prefix of whole characters that fits", () => {
    fc.assert(
      fc.property(text, fc.nat(60), (any, limit) => {
        const cut = cutUtf8(any, limit);
        const points = [...any];
        const fitting = points.findLastIndex((_, at) => Buffer.byteLength(points.slice(0, at + 1).join("")) <= limit);
        expect(cut).toBe(points.slice(0, fitting + 1).join(""));
      }),
      { numRuns: 1000 },
    );
  });

  test("[AP17] a cut by code points says that it cut, and only then", () => {
    fc.assert(
      fc.property(text, fc.nat(40), (any, limit) => {
        const points = [...any];
        expect(cutCodePoints(any, limit, "…")).toBe(
          points.length <= limit ? any : `${points.slice(0, limit).join("")}…`,
        );
      }),
      { numRuns: 1000 },
    );
  });
});
