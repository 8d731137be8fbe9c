/** Lets Node import a config file as the Worker's bundler does: `countersign`, `#config`, zod by name, wherever the file lies. Rules: CF1. */
import { registerHooks, type ResolveFnOutput } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "./project-root.ts";

const urlOf = (path: string): string => pathToFileURL(join(projectRoot, path)).href;

/** The `[alias]` table of `wrangler.toml`; `#config` is the file that is being read. */
function aliases(configFile: string): ReadonlyMap<string, string> {
  return new Map([
    ["countersign", urlOf("src/config.ts")],
    ["zod", urlOf("node_modules/zod/index.js")],
    ["#config", pathToFileURL(configFile).href],
  ]);
}

function resolveOr(first: () => ResolveFnOutput, second: () => ResolveFnOutput): ResolveFnOutput {
  try {
    return first();
  } catch {
    return second();
  }
}

/** Imports the file's default export; throws what the module throws. */
export async function importConfig(configFile: string): Promise<unknown> {
  const known = aliases(configFile);
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = known.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      if (!specifier.startsWith(".")) return nextResolve(specifier, context);
      // The bundler takes `./tools` for `./tools.ts`, so a file that works there must load here.
      return resolveOr(
        () => nextResolve(specifier, context),
        () => nextResolve(`${specifier}.ts`, context),
      );
    },
  });
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(configFile).href);
    return module.default;
  } finally {
    hooks.deregister();
  }
}
