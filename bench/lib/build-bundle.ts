/** Builds the measured Worker as it would be deployed, from the benchmark's entry and config. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeGeneratedConfig } from "../../scripts/lib/generated-config.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { wranglerBinary, wranglerSettings } from "../../scripts/lib/wrangler-command.ts";

const workerFolder = join(projectRoot, "bench/worker");

export interface Bundle {
  /** Absolute path of the one module. */
  readonly module: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
}

/** Throws with wrangler's words when it does not build. */
export function buildBundle(directory: string, { minify }: { readonly minify: boolean }): Bundle {
  const configFile = join(workerFolder, "countersign.config.ts");
  const config = writeGeneratedConfig({ directory, variables: {}, configFile });
  const outdir = join(directory, "bundle");
  const settings = ["--dry-run", "--config", config, "--outdir", outdir, ...(minify ? ["--minify"] : [])];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wranglerBinary, "deploy", join(workerFolder, "entry.ts"), ...settings],
    { cwd: projectRoot, env: { ...process.env, ...wranglerSettings }, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`the Worker could not be built:\n${stdout}${stderr}`);
  return { module: join(outdir, "entry.js"), ...readCompatibility(readFileSync(config, "utf8")) };
}

function readCompatibility(toml: string): Omit<Bundle, "module"> {
  const date = /^compatibility_date = "([^"]+)"$/m.exec(toml)?.[1];
  const flags = /^compatibility_flags = \[(.*)\]$/m.exec(toml)?.[1];
  if (date === undefined || flags === undefined) throw new Error("wrangler.toml names no compatibility date or flags");
  return {
    compatibilityDate: date,
    compatibilityFlags: Array.from(flags.matchAll(/"([^"]+)"/g), ([, flag = ""]) => flag),
  };
}
