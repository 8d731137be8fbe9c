/** `npm test`: runs the test projects; its last line is `N passed, N failed`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "./lib/project-root.ts";
import { countRun, type Counts } from "./lib/vitest-report.ts";
import { wranglerSettings } from "./lib/wrangler-command.ts";

const extra = process.argv.slice(2);
const pickedByName = extra.some((argument) => /^(-t|--testNamePattern)(=|$)/.test(argument));
const pickedProject = extra.some((argument) => /^--project(=|$)/.test(argument));

/** Real servers come last and alone, so that two cores are not shared with them. */
const phases = pickedProject
  ? [[]]
  : [
      ["--project", "node", "--project", "workers"],
      ["--project", "e2e"],
    ];

function runPhase(projects: readonly string[], report: string): Counts {
  const { status } = spawnSync(
    process.execPath,
    [
      join(projectRoot, "node_modules/vitest/vitest.mjs"),
      "run",
      ...projects,
      "--passWithNoTests",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...extra,
    ],
    { cwd: projectRoot, env: { ...process.env, ...wranglerSettings }, stdio: ["ignore", "inherit", "inherit"] },
  );
  return countRun(report, status ?? 1, pickedByName);
}

const directory = mkdtempSync(join(tmpdir(), "countersign-tests-"));
let passed = 0;
let failed = 0;
for (const [index, projects] of phases.entries()) {
  const counts = runPhase(projects, join(directory, `${index}.json`));
  passed += counts.passed;
  failed += counts.failed;
}
rmSync(directory, { recursive: true, force: true });
if (passed + failed === 0) console.error("no test ran");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
