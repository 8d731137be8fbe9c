/** The README's commands are the ones that the gate runs. */
import { expect, test } from "vitest";
import { readSourceFiles } from "../support/source-files.ts";

test("the README tells to test with the command that .ci/run runs", () => {
  const [readme] = readSourceFiles("README.md");
  const [gate] = readSourceFiles(".ci/run");
  expect(readme?.text).toMatch(/^npm ci && npm test$/m);
  expect(gate?.text).toContain("npm ci && npm test");
});
