/** Lists the repository's own source files for the architecture tests. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/project-root.ts";

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export function readSourceFiles(...patterns: string[]): SourceFile[] {
  return globSync(patterns, { cwd: projectRoot })
    .map((path) => path.replaceAll("\\", "/"))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));
}
