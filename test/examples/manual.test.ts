/** The manual of tools shows files that exist, word for word. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");
const manual = read("docs/tools.md");
/** Without the header: it says what the file is for, and so does the text around it. */
const bodyOf = (path: string): string => read(path).replace(/^\/\*\*.*\*\/\n/, "");

test.each([
  "examples/code-tool.config.ts",
  "examples/http-tool.config.ts",
  "examples/client-tool.config.ts",
  "test/examples/code-tool.test.ts",
])("docs/tools.md has %s as it is", (path) => {
  expect(manual).toContain(`\`\`\`ts\n${bodyOf(path)}\`\`\``);
});
