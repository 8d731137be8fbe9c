/** Names of the service bindings of `wrangler.toml`, as wrangler reads them. Rules: TC26, CF6. */
import { join } from "node:path";
import { projectRoot } from "./project-root.ts";

/** wrangler is large: it is loaded when a tool needs a binding, and not before. */
export async function readServiceBindings(): Promise<ReadonlySet<string>> {
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const { services } = readConfig({ config: join(projectRoot, "wrangler.toml") }, { hideWarnings: true });
  return new Set((services as readonly { readonly binding: string }[] | undefined)?.map(({ binding }) => binding));
}
