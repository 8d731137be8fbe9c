/** checkConfig: everything wrong with a config file, before any Worker starts with it. Rules: CF1, CF2, CF6. */
import { readConfig } from "../../src/config/read-config.ts";
import type { ConfigEnvironment } from "../../src/config/finding.ts";
import type { Fault } from "../../src/contracts/json.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import { parseUrl } from "../../src/tools/parse-url.ts";
import { importConfig } from "./config-modules.ts";

export interface ConfigReport {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export interface CheckedDeployment {
  /** Left out: the file is judged for development, and what production would refuse is a warning. */
  readonly env?: ConfigEnvironment["env"];
  readonly boundSecrets: ReadonlySet<string>;
}

const unreadable = (message: string): ConfigReport => ({ faults: [{ path: "", message }], warnings: [] });

function judge(file: unknown, environment: Omit<ConfigEnvironment, "parseUrl">): ConfigReport {
  const reading = readConfig(file, { ...environment, parseUrl });
  const { warnings } = reading;
  if (!reading.ok) return { faults: reading.faults, warnings };
  const tools = readConfiguredTools(reading.config.tools);
  return { faults: tools.ok ? [] : tools.failure, warnings };
}

function judgeForAny(file: unknown, boundSecrets: ReadonlySet<string>): ConfigReport {
  const { faults, warnings } = judge(file, { env: "dev", boundSecrets });
  const known = new Set(faults.map(line));
  const inProduction = judge(file, { env: "live", boundSecrets })
    .faults.filter((fault) => !known.has(line(fault)))
    .map(({ path, message }) => ({ path, message: `stops a start in production: ${message}` }));
  return { faults, warnings: [...warnings, ...inProduction] };
}

/** `file` is an absolute path. A module that throws, or exports no config, is a fault at the path "". */
export async function checkConfig(file: string, deployment: CheckedDeployment): Promise<ConfigReport> {
  let exported: unknown;
  try {
    exported = await importConfig(file);
  } catch (error) {
    return unreadable(`the file cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (exported === undefined) return unreadable("the file has no default export; it must be defineConfig({...})");
  const { env, boundSecrets } = deployment;
  return env === undefined ? judgeForAny(exported, boundSecrets) : judge(exported, { env, boundSecrets });
}

const line = ({ path, message }: Fault): string => (path === "" ? message : `${path}: ${message}`);

/** A line for each fault, `path: reason`, then one for each warning, marked as such. */
export function formatReport({ faults, warnings }: ConfigReport): readonly string[] {
  return [...faults.map(line), ...warnings.map((warning) => `warning: ${line(warning)}`)];
}
