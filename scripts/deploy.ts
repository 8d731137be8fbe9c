/** `npm run deploy`: checks the configuration for production, then uploads the Worker with the commit it was built from. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "./lib/project-root.ts";
import { readCommit } from "./lib/read-commit.ts";
import { wranglerBinary } from "./lib/wrangler-command.ts";

/** The step's exit code; its output is the terminal's. */
function run(...argv: readonly string[]): number {
  return spawnSync(process.execPath, argv, { cwd: projectRoot, stdio: "inherit" }).status ?? 1;
}

const commit = process.env["COUNTERSIGN_COMMIT"] || readCommit(projectRoot);
const named = commit === undefined ? [] : ["--var", `COUNTERSIGN_COMMIT:${commit}`];

const checked = run(join(projectRoot, "scripts/config-check.ts"), "--env", "live");
// Further arguments are wrangler's, such as --dry-run.
process.exit(checked || run(wranglerBinary, "deploy", "--minify", ...named, ...process.argv.slice(2)));
