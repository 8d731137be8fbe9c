/** A deployment for tests: what a configuration file says, read as the Worker reads it, with one scripted model. */
import type { ConversationParts } from "../../durable-objects/conversation-parts.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { ConfigFile } from "../../src/contracts/config.ts";
import type { ModelProvider } from "../../src/contracts/model.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import { keys } from "./core-fixture.ts";

type Section<Key extends "agents" | "risk_profiles" | "runtime_profiles"> = NonNullable<ConfigFile[Key]>[string];

/** What the configuration file says; sections that are left out have their defaults. */
export interface RoomSetup {
  readonly tools?: readonly Tool[];
  /** Names of tools that the caller itself runs; each takes any object. */
  readonly clientTools?: readonly string[];
  /** Beside `http`, those that somebody can come by. */
  readonly channels?: readonly string[];
  readonly risk?: Section<"risk_profiles">;
  readonly runtime?: Section<"runtime_profiles">;
  readonly agent?: Partial<Section<"agents">>;
  /** Beside `ada`, by alias; each asks the model of its own name, so that it can have a script of its own. */
  readonly agents?: Readonly<Record<string, Partial<Section<"agents">>>>;
  /** Beside `default`. */
  readonly risks?: Readonly<Record<string, Section<"risk_profiles">>>;
  readonly runtimes?: Readonly<Record<string, Section<"runtime_profiles">>>;
  readonly bundles?: NonNullable<ConfigFile["tool_bundles"]>;
  /** Of the scripted model, which poses as the embedded one. */
  readonly provider?: {
    readonly schema_strategy?: "openai" | "gemini";
    readonly models?: Readonly<Record<string, object>>;
  };
  readonly mcp?: NonNullable<ConfigFile["mcp"]>;
  /** What is known of the scripted model, its prices among it; it costs nothing by default. */
  readonly model?: NonNullable<NonNullable<ConfigFile["providers"]>[string]["models"]>[string];
  readonly hooks?: NonNullable<ConfigFile["tool_hooks"]>;
  readonly observability?: NonNullable<ConfigFile["observability"]>;
  /** Ports on loopback that may be reached. */
  readonly reachable?: readonly number[];
  readonly secrets?: Readonly<Record<string, string>>;
}

type Deployed = Pick<ConversationParts["deployment"], "config" | "tools">;

/** Like an isolate, a test reads one configuration once, however many objects it makes of it. */
const readings = new WeakMap<RoomSetup, Deployed>();

export function deploymentOf(setup: RoomSetup, provider: ModelProvider): ConversationParts["deployment"] {
  const deployed = readings.get(setup) ?? readDeployment(setup);
  readings.set(setup, deployed);
  return {
    ...deployed,
    channels: new Set(["http", ...(setup.channels ?? [])]),
    providers: new Map([["scripted", provider]]),
    keys,
    egress: { ...deployed.config.egress, production: false },
    redactor: createRedactor({ secrets: Object.values(setup.secrets ?? {}) }),
    secrets: new Map(Object.entries(setup.secrets ?? {})),
  };
}

function readDeployment({
  tools = [],
  clientTools = [],
  risk = {},
  runtime = {},
  agent = {},
  agents = {},
  risks = {},
  runtimes = {},
  bundles = {},
  provider = {},
  hooks = [],
  model = {},
  mcp = {},
  observability = {},
  reachable = [],
}: RoomSetup): Deployed {
  const declared = clientTools.map((name) => ({
    kind: "client" as const,
    name,
    description: "Run by the caller.",
    input_schema: { type: "object" },
  }));
  const others = Object.entries(agents).map(([alias, own]) => {
    return [alias, { model_provider: "scripted", model: alias, ...own }] as const;
  });
  const reading = readConfig(
    {
      agents: { ada: { model_provider: "scripted", ...agent }, ...Object.fromEntries(others) },
      default_agent: "ada",
      providers: { scripted: { kind: "embedded", models: { "script-1": model }, ...provider } },
      risk_profiles: { default: risk, ...risks },
      runtime_profiles: { default: runtime, ...runtimes },
      tools: [...tools, ...declared],
      tool_bundles: bundles,
      tool_hooks: [...hooks],
      mcp,
      observability,
      egress: { dev_hosts: reachable.map((port) => `127.0.0.1:${port}`) },
    },
    { env: "dev", boundSecrets: new Set(), parseUrl: (url) => new URL(url) },
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  const configured = readConfiguredTools(reading.config.tools, { clean: (text) => text, findService: () => undefined });
  if (!configured.ok) throw new Error(JSON.stringify(configured.failure));
  return { config: reading.config, tools: configured.value };
}
