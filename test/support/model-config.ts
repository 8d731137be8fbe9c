/** Writes a config file for a server whose models are on loopback: ports are known only once those run. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/project-root.ts";

export interface ModelConfig {
  readonly file: string;
  remove(): void;
}

/** Entries for sections of the file, beside those that every such file has or in place of them. */
export interface ConfigChanges {
  readonly agents?: Readonly<Record<string, object>>;
  /** Keys of every provider. */
  readonly provider?: object;
  readonly risk_profiles?: Readonly<Record<string, object>>;
  readonly runtime_profiles?: Readonly<Record<string, object>>;
  readonly limits?: object;
  /** Further ports on loopback that tools may reach. */
  readonly reachable?: readonly number[];
  /** Declared ones, behind the test tools. */
  readonly tools?: readonly object[];
}

/** One agent for each model server, by the same name; all have the test tools and, unless changed, need no approval. */
export function writeModelConfig(ports: Readonly<Record<string, number>>, changes: ConfigChanges = {}): ModelConfig {
  const directory = mkdtempSync(join(tmpdir(), "countersign-config-"));
  const file = join(directory, "countersign.config.ts");
  const aliases = Object.keys(ports);
  const agents = aliases.map((alias) => [alias, { model_provider: alias }] as const);
  const providers = aliases.map((alias) => {
    const server = { kind: "openai_compatible", base_url: `http://127.0.0.1:${ports[alias]}/v1` };
    return [alias, { ...server, default_model: "m", max_retries: 0, ...changes.provider }] as const;
  });
  const reachable = [...Object.values(ports), ...(changes.reachable ?? [])];
  const config = {
    agents: { ...Object.fromEntries(agents), ...changes.agents },
    providers: Object.fromEntries(providers),
    risk_profiles: { default: { level: "full" }, ...changes.risk_profiles },
    runtime_profiles: changes.runtime_profiles ?? {},
    limits: changes.limits ?? {},
    egress: { dev_hosts: reachable.map((port) => `127.0.0.1:${port}`) },
  };
  writeFileSync(
    file,
    `import { defineConfig } from "countersign";
import { testTools } from ${JSON.stringify(join(projectRoot, "test/e2e/configs/test-tools.ts"))};
export default defineConfig({ ...${JSON.stringify(config)}, tools: [...testTools, ...${JSON.stringify(changes.tools ?? [])}] });
`,
  );
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
