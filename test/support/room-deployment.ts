/** A deployment for tests: what a configuration file says, read as the Worker reads it, with one scripted model. */
import type { ConversationParts } from "../../durable-objects/conversation-parts.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { ConfigFile } from "../../src/contracts/config.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { readConfiguredTools } from "../../src/tools/configured-tools.ts";
import { keys } from "./core-fixture.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

type Section<Key extends "agents" | "risk_profiles" | "runtime_profiles"> = NonNullable<ConfigFile[Key]>[string];

/** What the configuration file says; sections that are left out have their defaults. */
export interface RoomSetup {
  readonly tools?: readonly Tool[];
  /** Names of tools that the caller itself runs; each takes any object. */
  readonly clientTools?: readonly string[];
  readonly risk?: Section<"risk_profiles">;
  readonly runtime?: Section<"runtime_profiles">;
  readonly agent?: Partial<Section<"agents">>;
  readonly mcp?: NonNullable<ConfigFile["mcp"]>;
  /** Beside the one that takes turns. */
  readonly agents?: NonNullable<ConfigFile["agents"]>;
  /** What is known of the scripted model, its prices among it; it costs nothing by default. */
  readonly model?: NonNullable<NonNullable<ConfigFile["providers"]>[string]["models"]>[string];
  readonly hooks?: NonNullable<ConfigFile["tool_hooks"]>;
}

type Deployed = Pick<ConversationParts["deployment"], "config" | "tools">;

/** Like an isolate, a test reads one configuration once, however many objects it makes of it. */
const readings = new WeakMap<RoomSetup, Deployed>();

export function deploymentOf(setup: RoomSetup, provider: ScriptedProvider): ConversationParts["deployment"] {
  const deployed = readings.get(setup) ?? readDeployment(setup);
  readings.set(setup, deployed);
  return {
    ...deployed,
    providers: new Map([["scripted", provider]]),
    keys,
    egress: { ...deployed.config.egress, production: false },
    redactor: createRedactor({ secrets: [] }),
    secrets: new Map(),
  };
}

function readDeployment({
  tools = [],
  clientTools = [],
  risk = {},
  runtime = {},
  agent = {},
  hooks = [],
  agents = {},
  model = {},
  mcp = {},
}: RoomSetup): Deployed {
  const declared = clientTools.map((name) => ({
    kind: "client" as const,
    name,
    description: "Run by the caller.",
    input_schema: { type: "object" },
  }));
  const reading = readConfig(
    {
      agents: { ada: { model_provider: "scripted", ...agent }, ...agents },
      default_agent: "ada",
      providers: { scripted: { kind: "embedded", models: { "script-1": model } } },
      risk_profiles: { default: risk },
      runtime_profiles: { default: runtime },
      tools: [...tools, ...declared],
      tool_hooks: [...hooks],
      mcp,
    },
    { env: "dev", boundSecrets: new Set(), parseUrl: (url) => new URL(url) },
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  const configured = readConfiguredTools(reading.config.tools);
  if (!configured.ok) throw new Error(JSON.stringify(configured.failure));
  return { config: reading.config, tools: configured.value };
}
