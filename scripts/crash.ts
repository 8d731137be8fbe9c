/** `npm run test:crash`: ends objects at every point of every script and on real servers; its last line is `N passed, N failed`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "./lib/project-root.ts";
import { countRun } from "./lib/vitest-report.ts";
import { wranglerSettings } from "./lib/wrangler-command.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    random: { type: "string", default: "3" },
  },
});
const { seed, random } = values;
console.log(
  `seed ${seed}, ${random} random kills; the same again: npm run test:crash -- --seed ${seed} --random ${random}`,
);

/** Rows alone at first, then real servers, alone on the machine. */
const phases = [
  [
    "--project",
    "node",
    "test/durable-objects/crash-points.test.ts",
    "test/durable-objects/crash-orders.test.ts",
    "test/durable-objects/recovery.test.ts",
  ],
  ["--project", "e2e", "test/crash"],
];
const directory = mkdtempSync(join(tmpdir(), "countersign-crashes-"));
let passed = 0;
let failed = 0;
for (const [index, phase] of phases.entries()) {
  const report = join(directory, `${index}.json`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(projectRoot, "node_modules/vitest/vitest.mjs"),
      "run",
      ...phase,
      "--reporter=verbose",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ],
    {
      cwd: projectRoot,
      env: {
        ...process.env,
        ...wranglerSettings,
        CRASH_STRIDE: "1",
        CRASH_RUNS: "600",
        CRASH_SEED: seed,
        CRASH_RANDOM: random,
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const counts = countRun(report, status ?? 1, false);
  passed += counts.passed;
  failed += counts.failed;
}
rmSync(directory, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
