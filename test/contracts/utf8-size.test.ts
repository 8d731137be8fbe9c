/** Sizes by hand agree with an encoder's. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countUtf8 } from "../../src/contracts/utf8-size.ts";

test("[LC22][SE57] bytes are counted as an encoder counts them", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(countUtf8(text)).toBe(new TextEncoder().encode(text).length);
    }),
    { numRuns: 1000 },
  );
});
