/** Deployment: the configuration file and the Worker's bindings, read once per isolate. Rules: CF5, CF6, RE8, SE40. */
import type { AgentProfile } from "../src/contracts/agent-profile.ts";
import configFile from "#config";
import { readConfig } from "../src/config/read-config.ts";
import type { CountersignConfig } from "../src/contracts/config.ts";
import type { Fault } from "../src/contracts/json.ts";
import type { ModelProvider } from "../src/contracts/model.ts";
import type { Tool } from "../src/contracts/tool.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import { createOwnSecrets } from "../src/observe/own-secrets.ts";
import { type Redactor, createRedactor } from "../src/observe/redact.ts";
import { type EgressRules, judgeUrl } from "../src/policy/egress-guard.ts";
import type { ProviderFactory, ProviderPorts } from "../src/providers/provider-ports.ts";
import { createProviders, providerFactories } from "../src/providers/provider-registry.ts";
import { parseReceiptKeys } from "../src/receipts/receipt-keys.ts";
import { type ScopeKeys, createScopeKeys } from "../src/receipts/receipt-scope.ts";
import { readConfiguredTools } from "../src/tools/configured-tools.ts";
import { parseUrl } from "../src/tools/parse-url.ts";
import type { ServicePort } from "../src/tools/service-tool.ts";
import { systemPorts } from "./system-ports.ts";

export type Environment = "live" | "test" | "dev";

export interface Deployment {
  readonly config: CountersignConfig;
  readonly providers: ReadonlyMap<string, ModelProvider>;
  /** Those of the configuration, built-ins left out. */
  readonly tools: readonly Tool[];
  /** Channels that a caller's credential can name: whoever comes by one may be asked there (AP10). */
  readonly channels: ReadonlySet<string>;
  readonly keys: ScopeKeys;
  readonly egress: EgressRules;
  readonly redactor: Redactor;
  /** Every bound secret and variable, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

export type DeploymentReading = Result<Deployment, readonly Fault[]>;

const readings = new WeakMap<ReadonlyMap<string, ProviderFactory>, Map<string, DeploymentReading>>();

/** The same bindings give the same reading for as long as the isolate lives; faults are logged when they are first met. */
export function loadDeployment(env: Cloudflare.Env, factories = providerFactories): DeploymentReading {
  const known = readings.get(factories) ?? new Map<string, DeploymentReading>();
  readings.set(factories, known);
  const secrets = boundTexts(env);
  const identity = JSON.stringify([...secrets]);
  const reading = known.get(identity) ?? readDeployment({ secrets, findService: serviceOf(env) }, factories);
  known.set(identity, reading);
  return reading;
}

function boundTexts(env: Cloudflare.Env): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}

interface Bound {
  readonly secrets: ReadonlyMap<string, string>;
  readonly findService: (binding: string) => ServicePort | undefined;
}

/** Bindings of an isolate never change, so one that was found stays good. */
export const serviceOf = (env: Cloudflare.Env) => {
  const bindings = new Map<string, unknown>(Object.entries(env));
  return (name: string): ServicePort | undefined => {
    const binding = bindings.get(name);
    return isService(binding) ? binding : undefined;
  };
};

const isService = (binding: unknown): binding is ServicePort =>
  typeof binding === "object" && binding !== null && "fetch" in binding && typeof binding.fetch === "function";

function readDeployment(
  { secrets, findService }: Bound,
  factories: ReadonlyMap<string, ProviderFactory>,
): DeploymentReading {
  const environment = environmentOf(secrets.get("COUNTERSIGN_ENV"));
  const reading = readConfig(configFile, { env: environment, boundSecrets: new Set(secrets.keys()), parseUrl });
  const keys = parseReceiptKeys(secrets.get("RECEIPT_KEYS"), secrets.get("RECEIPT_ACTIVE_KID"));
  for (const { path, message } of reading.warnings) systemPorts.log("warn", "config_warning", { path, message });
  const own = createOwnSecrets(secretValues(secrets));
  const tools = reading.ok
    ? readConfiguredTools(reading.config.tools, { clean: (text) => own.remove(text), findService })
    : succeed([]);
  if (reading.ok && keys.ok && tools.ok) {
    const egress = egressRulesOf(reading.config, environment);
    const redactor = createRedactor({ secrets: secretValues(secrets) });
    const ports = providerPorts({ secrets, egress, redactor });
    return succeed({
      config: reading.config,
      tools: tools.value,
      channels: new Set(["http"]),
      keys: createScopeKeys(keys.value),
      egress,
      redactor,
      secrets,
      providers: createProviders(reading.config.providers, ports, factories),
    });
  }
  const faults = [
    ...(reading.ok ? [] : reading.faults),
    ...(tools.ok ? [] : tools.failure),
    ...(keys.ok ? [] : keys.failure),
  ];
  for (const { path, message } of faults) systemPorts.log("error", "config_fault", { path, message });
  return failWith(faults);
}

/** Names of variables that are no secret, although they are bound beside them. */
const PLAIN: ReadonlySet<string> = new Set(["COUNTERSIGN_ENV", "COUNTERSIGN_COMMIT", "RECEIPT_ACTIVE_KID"]);

const secretValues = (bound: ReadonlyMap<string, string>): readonly string[] =>
  Array.from(bound).flatMap(([name, value]) => (PLAIN.has(name) ? [] : [value]));

export const environmentOf = (value: string | undefined): Environment =>
  value === "dev" || value === "test" ? value : "live";

function egressRulesOf({ egress }: CountersignConfig, environment: Environment): EgressRules {
  return { ...egress, production: environment !== "dev" };
}

/** For an address that a client names: the host under which it reached us is our own, whatever the file lists. */
export const judgeClientUrl = ({ egress }: Deployment, url: string, ownHost: string) =>
  judgeUrl(url, { ...egress, ownHosts: [...egress.ownHosts, ownHost] }, parseUrl);

function providerPorts({
  secrets,
  egress,
  redactor,
}: Pick<Deployment, "secrets" | "egress" | "redactor">): ProviderPorts {
  return {
    fetch: (url, init) => fetch(url, init),
    judge: (url) => judgeUrl(url, egress, parseUrl),
    startTimer: systemPorts.startTimer,
    secrets,
    clean: redactor.text,
  };
}

/** Of an agent. */
export function profilesOf({ config }: Deployment, agent: AgentProfile) {
  return {
    risk: requireOf(config.riskProfiles, agent.riskProfile),
    runtime: requireOf(config.runtimeProfiles, agent.runtimeProfile),
  };
}

/** The validated configuration has every name that it uses; a miss is a bug. */
export function requireOf<Value>(named: ReadonlyMap<string, Value>, name: string): Value {
  const value = named.get(name);
  if (value === undefined) throw new Error(`"${name}" is not configured`);
  return value;
}
