/** Every row of the vector files, each as one test. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkVectorLine } from "../../../../scripts/lib/check-vector.ts";
import { projectRoot } from "../../../../scripts/lib/project-root.ts";

const folder = join(projectRoot, "test/vectors");
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

test("[TP81] there are vectors of every kind", () => {
  expect(files).toEqual([
    "helper-vectors.jsonl",
    "parser-vectors.jsonl",
    "schema-vectors.jsonl",
    "stream-vectors.jsonl",
  ]);
});

describe.each(files)("%s", (file) => {
  const rows = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
  const named = rows.map((line) => ({ id: (JSON.parse(line) as { id: string }).id, line }));

  test.each(named)("[TP81] $id", ({ line }) => {
    expect(checkVectorLine(line).faults).toEqual([]);
  });
});
