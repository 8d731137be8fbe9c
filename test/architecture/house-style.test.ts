/** House rules that the linter has no rule for. */
import { expect, test } from "vitest";
import { readSourceFiles, type SourceFile } from "../support/source-files.ts";

const files = readSourceFiles("*.ts", "{src,durable-objects,scripts,bench,examples}/**/*.ts", "test/**/*.ts").filter(
  ({ path }) => path !== "test/architecture/house-style.test.ts",
);

function places(pattern: RegExp, searched: readonly SourceFile[] = files): string[] {
  return searched.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

test("no type is forced through unknown", () => {
  expect(places(/\bas unknown as\b/)).toEqual([]);
});

test("no enum, no namespace with values", () => {
  expect(places(/^\s*(?:export\s+)?(?:const\s+)?enum\s/)).toEqual([]);
});

test("a transactionSync callback is never async: it would commit before its promise rejects", () => {
  const joined = files.map(({ path, text }) => ({ path, text: text.replace(/\s+/g, " ") }));
  expect(places(/\btransactionSync\s*(?:<[^(]*>)?\(\s*async\b/, joined)).toEqual([]);
});

test("no file is named after what it is made of", () => {
  const vague = /(?:^|[/-])(?:msg|opts|utils?|helpers?|misc|common|manager\d)(?=[./-])/;
  expect(files.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
});
