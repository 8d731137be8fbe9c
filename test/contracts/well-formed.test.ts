/** Text from outside, inside JSON. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { makeWellFormed } from "../../src/contracts/well-formed.ts";

test("[RX11][SE56] every string and name of a body becomes well-formed, everything well-formed stays", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 4 }), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      expect(makeWellFormed(plain)).toEqual(plain);
    }),
  );
  const broken: JsonValue = { "a\ud800": ["b\udc00c", { d: "\ud83d" }], e: "😀", f: null };
  expect(makeWellFormed(broken)).toEqual({ "a\ufffd": ["b\ufffdc", { d: "\ufffd" }], e: "😀", f: null });
});

test("[SE58] a hostile name is copied as an own member and reaches no prototype", () => {
  const copy = makeWellFormed(JSON.parse('{"__proto__":{"x":1}}') as JsonValue);
  expect(Object.hasOwn(copy as object, "__proto__")).toBe(true);
  expect(({} as { x?: number }).x).toBeUndefined();
  expect((copy as { x?: number }).x).toBeUndefined();
});
