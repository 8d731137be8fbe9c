/** One line of arguments for whoever is asked to approve a call. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { summarizeArguments } from "../../src/policy/argument-summary.ts";

const { value: redact } = createRedactor({ secrets: ["own-secret-0123456789"] });
const summary = (args: JsonValue): string => summarizeArguments(args, redact);

describe("[AP17] the argument summary", () => {
  test("[AP17] path comes first, the rest by key; strings are raw, all else is JSON", () => {
    expect(summary({ zone: "eu", amount: 12, path: "/tmp/x", all: true, list: [1, "a"], none: null })).toBe(
      'path: /tmp/x, all: true, amount: 12, list: [1,"a"], none: null, zone: eu',
    );
    expect(summary({ pathology: "x", path: "y", pat: "z" })).toBe("path: y, pat: z, pathology: x");
  });

  test("[AP17] credentials are gone, at any depth", () => {
    expect(summary({ path: "/a", api_key: "abcdefgh", deep: { token: [1, 2], note: "own-secret-0123456789" } })).toBe(
      'path: /a, api_key: [REDACTED], deep: {"token":"[REDACTED]","note":"[REDACTED:own]"}',
    );
  });

  test("[AP17] 200 emoji are cut at 80, whole; 80 stay as they are", () => {
    expect(summary({ text: "😀".repeat(200) })).toBe(`text: ${"😀".repeat(80)}…`);
    expect(summary({ text: "😀".repeat(80) })).toBe(`text: ${"😀".repeat(80)}`);
  });

  test("[AP17] a secret is redacted before the cut, so no part of it stays", () => {
    expect(summary({ text: `${"x".repeat(70)} own-secret-0123456789` })).toBe(`text: ${"x".repeat(70)} [REDACTED…`);
  });

  test.each<[JsonValue, string]>([
    ["a plain string", '"a plain string"'],
    [[1, { a: 2 }], '[1,{"a":2}]'],
    [null, "null"],
    ["y".repeat(200), `"${"y".repeat(119)}…`],
  ])("[AP17] %j is no object and becomes compact JSON, cut to 120", (args, expected) => {
    expect(summary(args)).toBe(expected);
  });

  test("[SE25] characters that hide or reorder are written out, in keys too", () => {
    expect(summary({ "a\u200Bb": "x\u202Ey" })).toBe("a\\u{200b}b: x\\u{202e}y");
  });
});
