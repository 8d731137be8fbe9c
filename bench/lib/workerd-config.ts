/** Writes what plain `workerd serve` is told: the module, its bindings, its objects' disk, its socket. */
import { relative } from "node:path";
import type { Bundle } from "./build-bundle.ts";

export interface ServeConfig {
  /** Its module must lie in or below the folder of the config: an absolute path is looked up elsewhere. */
  readonly bundle: Bundle;
  /** Folder of the config. */
  readonly directory: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Folder of the objects' databases. */
  readonly storage: string;
  /** `host:port`. */
  readonly address: string;
  readonly v8Flags: readonly string[];
}

/** Cap'n Proto's text literals take JSON's escapes. */
const quote = (text: string): string => JSON.stringify(text);

/** The model is a script and the tool answers from memory, so nothing may leave the process. */
export function formatWorkerdConfig(settings: ServeConfig): string {
  const { bundle, directory, variables, storage, address, v8Flags } = settings;
  const texts = Object.entries(variables).map(([name, value]) => `(name = ${quote(name)}, text = ${quote(value)}),`);
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = [${v8Flags.map(quote).join(", ")}],
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = ${quote(storage)}, writable = true)),
    (name = "internet", network = (allow = [])),
  ],
  sockets = [(name = "http", address = ${quote(address)}, http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "entry.js", esModule = embed ${quote(relative(directory, bundle.module))})],
  compatibilityDate = ${quote(bundle.compatibilityDate)},
  compatibilityFlags = [${bundle.compatibilityFlags.map(quote).join(", ")}],
  bindings = [
    ${texts.join("\n    ")}
    (name = "CONVERSATIONS", durableObjectNamespace = "ConversationObject"),
    (name = "TENANTS", durableObjectNamespace = "TenantObject"),
  ],
  durableObjectNamespaces = [
    (className = "ConversationObject", uniqueKey = "conversations", enableSql = true),
    (className = "TenantObject", uniqueKey = "tenants", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}
