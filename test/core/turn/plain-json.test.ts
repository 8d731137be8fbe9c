/** What code from outside hands in, taken as JSON: well-formed, not too deep, nobody else's; and frozen for good. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/contracts/json.ts";
import { freezeJson, toPlainJson } from "../../../src/core/turn/plain-json.ts";

const nested = (depth: number): unknown[] => {
  let value: unknown[] = [];
  for (let made = 1; made < depth; made += 1) value = [value];
  return value;
};
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

describe("toPlainJson", () => {
  test.each([
    [64, true],
    [65, false],
    [5000, false],
    [200_000, false],
  ])("[TC8][SE57] nested %s deep: kept %s", (depth, kept) => {
    expect(toPlainJson(nested(depth)) !== undefined).toBe(kept);
    expect(toPlainJson({ a: 1, rest: nested(depth - 1) }) !== undefined).toBe(kept);
  });

  test.each([
    ["nothing", undefined],
    ["a function", () => 1],
    ["a bigint", { n: 1n }],
    ["a cycle", cyclic],
  ])("[TC8] %s is no JSON", (_what, value) => {
    expect(toPlainJson(value)).toBeUndefined();
  });

  test("[TC8] the limit counts bytes of UTF-8", () => {
    expect(toPlainJson("ü€", 7)).toBe("ü€");
    expect(toPlainJson("ü€", 6)).toBeUndefined();
  });

  test("[RX11][SE58] lone surrogates go, in names too; pairs stay, and so do names that a prototype has", () => {
    const value = JSON.parse(String.raw`{"a\ud800":["\udc00b","\ud83d\ude00"],"__proto__":{"x":"\udfff"}}`);
    const plain = toPlainJson(value);
    const expected = '{"a\ufffd":["\ufffdb","\u{1f600}"],"__proto__":{"x":"\ufffd"}}';
    expect(JSON.stringify(plain)).toBe(expected);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });

  test("[RX11] what comes out is the same value for JSON, well-formed throughout, and no part of what went in", () => {
    const anything = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
    fc.assert(
      fc.property(anything, fc.constantFrom("", "\ud800", "\udc00"), (value, broken) => {
        const given = { list: [value, `x${broken}`] };
        const plain = toPlainJson(given);
        expect(plain).toEqual(JSON.parse(JSON.stringify({ list: [value, `x${broken.toWellFormed()}`] })));
        expect(JSON.stringify(plain)).not.toMatch(/\\ud[89a-f]/);
        expect(plain).not.toBe(given);
      }),
    );
  });
});

test("[CP20] freezeJson leaves nothing in a value that could be changed", () => {
  const isFrozen = (value: JsonValue): boolean =>
    Object.isFrozen(value) &&
    (typeof value !== "object" || value === null || Object.values(value).every((item: JsonValue) => isFrozen(item)));
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isFrozen(freezeJson(structuredClone(value) as JsonValue))).toBe(true);
    }),
  );
});
