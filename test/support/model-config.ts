/** Writes a config file for a server whose models are on loopback: ports are known only once those run. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/project-root.ts";

export interface ModelConfig {
  readonly file: string;
  remove(): void;
}

/** One agent for each model server, by the same name; all have the test tools and need no approval. */
export function writeModelConfig(ports: Readonly<Record<string, number>>): ModelConfig {
  const directory = mkdtempSync(join(tmpdir(), "countersign-config-"));
  const file = join(directory, "countersign.config.ts");
  const aliases = Object.keys(ports);
  const agents = aliases.map((alias) => [alias, { model_provider: alias }] as const);
  const providers = aliases.map((alias) => {
    const server = { kind: "openai_compatible", base_url: `http://127.0.0.1:${ports[alias]}/v1` };
    return [alias, { ...server, default_model: "m", max_retries: 0 }] as const;
  });
  const config = {
    agents: Object.fromEntries(agents),
    providers: Object.fromEntries(providers),
    risk_profiles: { default: { level: "full" } },
    egress: { dev_hosts: Object.values(ports).map((port) => `127.0.0.1:${port}`) },
  };
  writeFileSync(
    file,
    `import { defineConfig } from "countersign";
import { bigTextTool, slowTool } from ${JSON.stringify(join(projectRoot, "test/e2e/configs/test-tools.ts"))};
export default defineConfig({ ...${JSON.stringify(config)}, tools: [bigTextTool, slowTool] });
`,
  );
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
