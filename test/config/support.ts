/** Files to read in the tests of the configuration, and how they are read. */
import { type ConfigEnvironment } from "../../src/config/finding.ts";
import { type ConfigReading, readConfig } from "../../src/config/read-config.ts";
import type { ConfigFile, CountersignConfig } from "../../src/contracts/config.ts";
import type { Fault } from "../../src/contracts/json.ts";
import { parseUrl } from "../../src/tools/parse-url.ts";

export const environment: ConfigEnvironment = {
  env: "dev",
  boundSecrets: new Set(["SHOP_TOKEN", "MODELS_KEY", "TICKETS_SECRET", "FILES_TOKEN", "OAUTH_SECRET"]),
  parseUrl,
};

/** The least that is a config file. */
export const leastFile = {
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
} satisfies ConfigFile;

export function readWith(changes: object, changed: Partial<ConfigEnvironment> = {}): ConfigReading {
  return readConfig({ ...leastFile, ...changes }, { ...environment, ...changed });
}

export function configOf(reading: ConfigReading): CountersignConfig {
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.config;
}

export function faultsOf(reading: ConfigReading): readonly Fault[] {
  return reading.ok ? [] : reading.faults;
}

export const pathsOf = (faults: readonly Fault[]): readonly string[] => faults.map(({ path }) => path);

export type Step = string | number;

/** A copy of the file with one value set; tools and hooks in it are shared, not copied. */
export function changeAt(file: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  const copy: unknown = Array.isArray(file) ? [...(file as unknown[])] : { ...(file as object) };
  const member: unknown = Reflect.get(copy as object, step);
  Reflect.set(copy as object, step, changeAt(member, rest, value));
  return copy;
}
