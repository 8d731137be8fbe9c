/** Idempotency keys: two spellings, one key. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeIdempotencyKey } from "../../src/wire/idempotency-key.ts";

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 255,
});

test("[HP2] a bare key and the same key quoted are one", () => {
  fc.assert(
    fc.property(visible, (key) => {
      const quoted = `"${key.replace(/["\\]/g, String.raw`\$&`)}"`;
      expect(decodeIdempotencyKey(quoted)).toEqual({ ok: true, value: key });
      // What begins with a quote is read as a quoted string.
      if (key.startsWith('"')) return;
      const bare = key.includes('"') ? { ok: false, failure: "malformed" } : { ok: true, value: key };
      expect(decodeIdempotencyKey(key)).toEqual(bare);
    }),
  );
});

test.each([
  "",
  '""',
  '"k1',
  'k1"',
  'k"1',
  '"k1"; a=1',
  '"k1", "k2"',
  "k1, k2",
  '"k 1"',
  String.raw`"k\1"`,
  String.raw`"k1\"`,
  "clé",
  "k".repeat(256),
  `"${"k".repeat(256)}"`,
])("[HP2] %j is no key", (header) => {
  expect(decodeIdempotencyKey(header).ok).toBe(false);
});
