/** `npm run config:check`: prints everything wrong with a config file; exit code 1 when it would stop a start. Rules: CF6. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkConfig, formatReport } from "./lib/check-config.ts";
import { readDevVars } from "./lib/dev-vars.ts";
import { projectRoot } from "./lib/project-root.ts";

const usage = "usage: npm run config:check -- [--config FILE] [--env live|test|dev]";

function refuse(reason: string): never {
  console.error(`countersign: ${reason}\n${usage}`);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({ options: { config: { type: "string" }, env: { type: "string" } } }).values;
  } catch (fault) {
    return refuse(fault instanceof Error ? fault.message : String(fault));
  }
}

function readEnvironment(env: string | undefined): "live" | "test" | "dev" | undefined {
  if (env === undefined || env === "live" || env === "test" || env === "dev") return env;
  return refuse(`there is no environment ${env}`);
}

/** Names alone: what a local Worker would find bound. The shell's variables do not reach it. */
const boundNames = (): ReadonlySet<string> => new Set(Object.keys(readDevVars(join(projectRoot, ".dev.vars"))));

const { config, env } = readArguments();
const file =
  config === undefined
    ? join(projectRoot, "countersign.config.ts")
    : resolve(process.env["INIT_CWD"] ?? process.cwd(), config);
if (!existsSync(file)) refuse(`there is no config file ${file}`);

const environment = readEnvironment(env ?? process.env["COUNTERSIGN_ENV"]);
const report = await checkConfig(file, {
  boundSecrets: boundNames(),
  ...(environment === undefined ? {} : { env: environment }),
});
for (const line of formatReport(report)) console.log(line);
const count = report.faults.length;
console.log(count === 0 ? `${file} is valid` : `${file} has ${count} ${count === 1 ? "fault" : "faults"}`);
process.exit(count === 0 ? 0 : 1);
