/** checkConfig: everything wrong with a config file, before any Worker starts with it. Rules: CF1, CF2, CF6. */
import { readConfig } from "../../src/config/read-config.ts";
import type { ConfigEnvironment } from "../../src/config/finding.ts";
import { type Fault, isObject } from "../../src/contracts/json.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import { parseUrl } from "../../src/tools/parse-url.ts";
import { importConfig } from "./config-modules.ts";
import { readServiceBindings } from "./service-bindings.ts";

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

interface CheckedFor extends Omit<ConfigEnvironment, "parseUrl"> {
  readonly services: ReadonlySet<string>;
}

function judge(file: unknown, { services, ...environment }: CheckedFor): ConfigReport {
  const reading = readConfig(file, { ...environment, parseUrl });
  const { warnings } = reading;
  if (!reading.ok) return { faults: reading.faults, warnings };
  const tools = readConfiguredTools(reading.config.tools, {
    clean: (text) => text,
    findService: (binding) => (services.has(binding) ? notCalled : undefined),
  });
  return { faults: tools.ok ? [] : tools.failure, warnings };
}

/** A tool that is only checked calls nothing. */
const notCalled = { fetch: () => Promise.reject(new Error("no Worker runs here")) };

const callsServices = (file: unknown): boolean =>
  isObject(file) &&
  Array.isArray(file["tools"]) &&
  file["tools"].some((tool) => isObject(tool) && tool["kind"] === "service");

function judgeForAny(file: unknown, bound: Omit<CheckedFor, "env">): ConfigReport {
  const { faults, warnings } = judge(file, { env: "dev", ...bound });
  const known = new Set(faults.map(line));
  const inProduction = judge(file, { env: "live", ...bound })
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
  const services = callsServices(exported) ? await readServiceBindings() : new Set<string>();
  const bound = { boundSecrets, services };
  return env === undefined ? judgeForAny(exported, bound) : judge(exported, { env, ...bound });
}

const line = ({ path, message }: Fault): string => (path === "" ? message : `${path}: ${message}`);

/** A line for each fault, `path: reason`, then one for each warning, marked as such. */
export function formatReport({ faults, warnings }: ConfigReport): readonly string[] {
  return [...faults.map(line), ...warnings.map((warning) => `warning: ${line(warning)}`)];
}
