/** The Worker tells the version that the package has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { version } from "../../src/contracts/version.ts";

test("the version that is served is the package's", () => {
  const { version: packaged } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
    version: string;
  };
  expect(version).toBe(packaged);
});
