/** What counts as JSON in a text, and how values are found in one. */
import { describe, expect, test } from "vitest";
import { DEEPEST_JSON, JsonText, parseJson } from "../../../../../src/core/turn/parse/text/json-text.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const scan = (text: string): unknown => new JsonText(text).values(0, text.length);

describe("what is JSON", () => {
  test.each([
    ['{"a":[1,-0.5e+2,true,false,null,"\\u00e9\\n"]}', { a: [1, -50, true, false, null, "é\n"] }],
    [' \n"text"\t', "text"],
    ["-12.5", -12.5],
    ["{ }", {}],
    ["[ ]", []],
    ['{"a":1,"a":{"b":2}}', { a: { b: 2 } }],
  ])("[TP7] %s is", (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  test.each([
    "",
    "{'a':1}",
    '{"a":1,}',
    "[1,]",
    "[,1]",
    '{"a"}',
    '{"a":}',
    "{1:2}",
    "01",
    "1.",
    ".5",
    "1e999",
    '{"a":-1e999}',
    "NaN",
    '"raw\ntab"',
    '"\\x41"',
    '"\\u12G4"',
    '{"a":1} {"b":2}',
    "[1 2]",
    "[1}",
    '{"a":1]',
    "tru",
    '"open',
  ])("[TP7] %j is not", (text) => {
    expect(parseJson(text)).toBeUndefined();
  });

  test("[TP7] 128 levels are JSON and 129 are not, wherever the deep part stands", () => {
    expect(DEEPEST_JSON).toBe(128);
    expect(parseJson(nested(128))).toBeDefined();
    expect(parseJson(nested(129))).toBeUndefined();
    expect(parseJson(`[1,${nested(127)}]`)).toBeDefined();
    expect(parseJson(`[1,${nested(128)}]`)).toBeUndefined();
    expect(parseJson(`{"a":{},"b":${nested(128)}}`)).toBeUndefined();
  });

  test("[TP7] half a surrogate pair becomes U+FFFD, in keys too; a whole pair stays", () => {
    expect(parseJson(String.raw`{"\ud83d":"\ud83d\ude00 \udc00"}`)).toEqual({ "\uFFFD": "😀 \uFFFD" });
  });

  test("[TP7] `__proto__` is a key like any other", () => {
    const value = parseJson(String.raw`{"__proto__":{"admin":true},"x":"\ud800"}`) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "x"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value["admin"]).toBeUndefined();
  });
});

describe("the JSON scan", () => {
  test.each([
    ["42", [42]],
    ['"{}"', ["{}"]],
    ['a {"x":1} b [2] c', [{ x: 1 }, [2]]],
    ["note [draft] {} end", [{}]],
    ["{a} {} ", [{}]],
    ['{"x":1}{"y":2}', [{ x: 1 }, { y: 2 }]],
    ["", []],
  ])("[TP8] %j holds %j", (text, values) => {
    expect(scan(text)).toEqual(values);
  });

  test.each(['{"broken":[1,{"name":"inner"}],', '[ ["x" {}', '[{"a":1}, oops {}', '{ "a": {} , ', "[[ {}"])(
    "[TP8] a value nested in the broken %j is no value of its own",
    (text) => {
      expect(scan(text)).toEqual([]);
    },
  );

  test("[TP8] values in front of a broken one are kept", () => {
    expect(scan('{} [1] {"a": {"b":1} ')).toEqual([{}, [1]]);
  });

  test("[TP8] a value that reaches past the range is not in it", () => {
    const text = '{"a":{"b":1}} {"c":2}';
    expect(new JsonText(text).values(0, 12)).toEqual([]);
    expect(new JsonText(text).values(14, text.length)).toEqual([{ c: 2 }]);
  });
});
