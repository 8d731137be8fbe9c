/** Writes the wrangler config of one development server: `wrangler.toml` with absolute paths, its variables beside it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { formatVariables, type Variables } from "./dev-vars.ts";
import { projectRoot } from "./project-root.ts";

const configAlias = '"#config" = "./countersign.config.ts"';

export interface GeneratedConfig {
  /** Folder of this one server; made when missing. */
  readonly directory: string;
  readonly variables: Variables;
  /** Absolute path of the config file that the Worker imports as `#config`; default: the repository's own. */
  readonly configFile?: string | undefined;
}

/**
 * Returns the path to pass to `wrangler dev -c`. Variables go to a `.dev.vars` there: unlike `--var` they show in no
 * process list, unlike `--env-file` their `$` is not expanded, and they win over those of the repository.
 */
export function writeGeneratedConfig({ directory, variables, configFile }: GeneratedConfig): string {
  const source = readFileSync(join(projectRoot, "wrangler.toml"), "utf8");
  if (!source.includes(configAlias)) throw new Error(`wrangler.toml lacks the line ${configAlias}`);
  const aliased =
    configFile === undefined ? source : source.replace(configAlias, `"#config" = ${JSON.stringify(configFile)}`);
  const absolute = aliased.replace(/"(\.\/[^"]*)"/g, (_, path: string) => JSON.stringify(resolve(projectRoot, path)));
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "wrangler.toml");
  writeFileSync(file, absolute);
  writeFileSync(join(directory, ".dev.vars"), formatVariables(variables), { mode: 0o600 });
  return file;
}
