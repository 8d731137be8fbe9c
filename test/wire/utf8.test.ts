/** UTF-8 by hand agrees with the platform's. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeValidUtf8, isValidUtf8 } from "../../src/wire/utf8.ts";

function isDecodable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const text = fc.string({ unit: "binary" });

test("[SE57] valid text decodes to itself", () => {
  fc.assert(
    fc.property(text, (value) => {
      const bytes = new TextEncoder().encode(value);
      expect(isValidUtf8(bytes)).toBe(true);
      expect(decodeValidUtf8(bytes)).toBe(value);
    }),
  );
});

test("[SE57] validity is the platform's own for bytes made of the critical values", () => {
  const critical = fc.constantFrom(
    0x41,
    0x7f,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc0,
    0xc1,
    0xc2,
    0xdf,
    0xe0,
    0xe1,
    0xec,
    0xed,
    0xee,
    0xef,
    0xf0,
    0xf1,
    0xf3,
    0xf4,
    0xf5,
    0xff,
  );
  fc.assert(
    fc.property(fc.array(critical, { maxLength: 6 }), (values) => {
      const bytes = Uint8Array.from(values);
      expect(isValidUtf8(bytes)).toBe(isDecodable(bytes));
    }),
    { numRuns: 5000 },
  );
});
