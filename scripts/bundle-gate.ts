/** `npm run bundle`: builds what would be deployed; fails when it is too large, or when a part of a test build is in it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { projectRoot } from "./lib/project-root.ts";
import { wranglerBinary, wranglerSettings } from "./lib/wrangler-command.ts";

/** Upper bound of the whole Worker, minified with gzip. */
const gzipLimitKiB = 400;

function build(outdir: string): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wranglerBinary, "deploy", "--dry-run", "--minify", "--outdir", outdir],
    { cwd: projectRoot, env: { ...process.env, ...wranglerSettings }, encoding: "utf8" },
  );
  if (status === 0) return;
  console.error(stdout + stderr);
  process.exit(1);
}

function readBundle(outdir: string): Buffer[] {
  const names = readdirSync(outdir).filter((name) => /\.(js|mjs|wasm)$/.test(name));
  return names.map((name) => readFileSync(join(outdir, name)));
}

const inKiB = (bytes: number): number => Math.round(bytes / 102.4) / 10;
const sum = (sizes: number[]): number => sizes.reduce((total, size) => total + size, 0);

const outdir = mkdtempSync(join(tmpdir(), "countersign-bundle-"));
build(outdir);
const modules = readBundle(outdir);
rmSync(outdir, { recursive: true, force: true });
const minified = inKiB(sum(modules.map((code) => code.length)));
const gzipped = inKiB(sum(modules.map((code) => gzipSync(code).length)));
console.log(`bundle: ${minified} KiB minified, ${gzipped} KiB gzip (limit ${gzipLimitKiB} KiB)`);
/** What test builds alone have in them. */
const testWords = ["crashpoint", "CRASH_MODE"];
const leaked = testWords.filter((word) => modules.some((code) => code.includes(word)));
if (leaked.length > 0) {
  console.error(`bundle: has parts of a test build in it: ${leaked.join(", ")}`);
  process.exit(1);
}
if (modules.length === 0 || gzipped > gzipLimitKiB) {
  console.error("bundle: over the limit, or nothing was built");
  process.exit(1);
}
