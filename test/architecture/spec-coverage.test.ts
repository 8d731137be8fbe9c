/** Keeps SPEC.md in step with the tests: each rule has one, each rule id in a title exists. */
import { expect, test } from "vitest";
import { readSourceFiles } from "../support/source-files.ts";

const tests = readSourceFiles("test/**/*.test.ts", "test/support/**/*-suite.ts");
const [spec] = readSourceFiles("SPEC.md");

const rulePattern = /^- \*\*\[([A-Z]+\d+)\]\*\* /gm;
/** A string that starts with one or more ids followed by a space: a title, also in a table of `test.each`. */
const titlePattern = /["'`]((?:\[[A-Z]+\d+\])+) /g;

const rules = Array.from(spec?.text.matchAll(rulePattern) ?? [], ([, id = ""]) => id);
const tested = new Set(
  tests.flatMap(({ text }) =>
    Array.from(text.matchAll(titlePattern), ([, ids = ""]) => ids.slice(1, -1).split("][")).flat(),
  ),
);

test("SPEC.md exists, states each rule once", () => {
  expect(spec).toBeDefined();
  expect(rules.filter((id, index) => rules.indexOf(id) !== index)).toEqual([]);
});

test("every rule of SPEC.md has a test that begins with its id", () => {
  expect(rules.filter((id) => !tested.has(id))).toEqual([]);
});

test("every rule id in a test title is in SPEC.md", () => {
  expect([...tested].filter((id) => !rules.includes(id))).toEqual([]);
});

test("no test is switched off, alone or promised", () => {
  const switched = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b/;
  expect(tests.filter(({ text }) => switched.test(text)).map(({ path }) => path)).toEqual([]);
});
