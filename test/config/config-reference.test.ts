/** The config reference is what the schema says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderConfigReference } from "../../scripts/lib/config-reference.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";

const reference = renderConfigReference();

test("[CF7] docs/config.md is up to date", () => {
  expect(readFileSync(join(projectRoot, "docs/config.md"), "utf8")).toBe(reference);
});

test("[CF7] types, ranges and defaults come from the schema", () => {
  const rows = reference.split("\n");
  const row = (key: string) => rows.filter((line) => line.startsWith(`| \`${key}\` |`));
  expect(row("runtime_profiles.<name>.max_parallel_tools")[0]).toContain("| integer 1–6 | `6` |");
  expect(row("egress.resolve")[0]).toContain('| `"off"`, `"doh"` | `"off"` |');
  expect(row("providers.<name>.members")[0]).toContain("(`route`)");
  expect(row("providers.<name>.kind")).toHaveLength(7);
  expect(row("providers.<name>.api_key")).toHaveLength(1);
});

test("[CF7] every key has a meaning", () => {
  expect(reference.split("\n").filter((line) => line.startsWith("| `") && / \|\s*\|$/.test(line))).toEqual([]);
});
