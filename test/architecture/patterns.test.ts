/** No pattern from outside reaches the native engine: what is not written in the source itself is listed here, with its reason. */
import { expect, test } from "vitest";
import { readSourceFiles } from "../support/source-files.ts";

/** How many patterns of a file are put together at run time, and from what. */
const putTogether: readonly (readonly [path: string, count: number, reason: string])[] = [
  ["src/contracts/config/access.ts", 3, "parts written in the same file"],
  ["src/core/turn/parse/text/markup.ts", 1, "each of the tags listed in the same file"],
  ["src/policy/inert.ts", 3, "words of the same file, spelled out letter by letter"],
  [
    "src/providers/embedded/extract-arguments.ts",
    4,
    "names of tools and properties with every special character escaped",
  ],
  ["src/providers/embedded/time-zones.ts", 1, "the platform's own zone names"],
];

/** Up to the end of the first argument's first line: enough to tell what it is. */
const construction = /\bRegExp\(\s*([^\n]*)/g;
const literal = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/.*\/[a-z]*)\s*[,)]/;
/** A constant of the module, its source, its parts joined. */
const constant = String.raw`[A-Z][A-Z0-9_]*(?:\.source|\.join\("[^"]*"\))?`;
const ownConstant = new RegExp(`^${constant}\\s*[,)]`);
const ownTemplate = new RegExp(`^(?:String\\.raw)?\`(?:[^\`$\\\\]|\\\\.|\\$(?!\\{)|\\$\\{${constant}\\})*\`\\s*[,)]`);
const files = readSourceFiles("{src,durable-objects}/**/*.ts");

test("[SE88] a pattern that is put together at run time has a reason", () => {
  const found = files.flatMap(({ path, text }) => {
    const made = Array.from(text.matchAll(construction), ([, argument = ""]) => argument);
    const count = made.filter((from) => ![literal, ownConstant, ownTemplate].some((own) => own.test(from))).length;
    return count === 0 ? [] : [[path, count]];
  });
  expect(found).toEqual(putTogether.map(([path, count]) => [path, count]));
});
