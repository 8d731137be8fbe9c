/** Files stay small enough to read in one go; each says first what it owns. */
import { expect, test } from "vitest";
import { readSourceFiles, type SourceFile } from "../support/source-files.ts";

const usualLimit = 250;
const limits: Record<string, number> = { "src/core/turn/tool-loop.ts": 150, "durable-objects/conversation.ts": 150 };

const code = readSourceFiles("src/**/*.ts", "durable-objects/**/*.ts", "scripts/**/*.ts", "bench/**/*.ts");
const all = [...code, ...readSourceFiles("*.ts", "test/**/*.ts", "examples/**/*.ts")];

const lineCount = ({ text }: SourceFile): number => text.trimEnd().split("\n").length;

test("no file is longer than its limit", () => {
  const long = code.filter((file) => lineCount(file) > (limits[file.path] ?? usualLimit));
  expect(long.map((file) => `${file.path}: ${lineCount(file)}`)).toEqual([]);
});

test("every file begins with a sentence that says what it owns", () => {
  // A command's own interpreter line can only be the first.
  const silent = all.filter(({ text }) => !/^(?:#!\S.*\n)?(?:\/\*\*|\/\/)\s*\S+ \S+/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});
