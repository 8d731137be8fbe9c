/** How wrangler is run here: its path, its settings for work without account or network, its flags for `dev`. */
import { dirname, join } from "node:path";
import { loopbackHost } from "./free-port.ts";
import { projectRoot } from "./project-root.ts";

/** Run with `process.execPath`: a bare `node` outside npm scripts may be too old for wrangler. */
export const wranglerBinary = join(projectRoot, "node_modules/wrangler/bin/wrangler.js");

/** No telemetry, no error reports, no lookup of request metadata, no banner, no files outside the repository. */
export const wranglerSettings = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_LOG_PATH: join(projectRoot, ".wrangler/logs"),
};

export interface DevServer {
  /** Absolute path of the Worker's entry; default: the one that the config names. */
  readonly entry?: string | undefined;
  /** Path of a generated wrangler config. */
  readonly config: string;
  readonly port: number;
  /** Where the objects' databases lie. */
  readonly persistTo: string;
  /** wrangler's own: `warn` shows build errors with the Worker's warnings, not each request. */
  readonly logLevel: string;
}

export function wranglerDevArguments({ entry, config, port, persistTo, logLevel }: DevServer): string[] {
  return [
    wranglerBinary,
    "dev",
    ...(entry === undefined ? [] : [entry]),
    "--config",
    config,
    "--ip",
    loopbackHost,
    "--port",
    String(port),
    "--inspector-port",
    "0",
    "--persist-to",
    persistTo,
    "--log-level",
    logLevel,
    "--show-interactive-dev-session=false",
  ];
}

/** Servers of one name would see each other's objects through the machine's registry: each has its own. */
export function wranglerDevEnvironment({ config }: DevServer): NodeJS.ProcessEnv {
  return { ...process.env, ...wranglerSettings, WRANGLER_REGISTRY_PATH: join(dirname(config), "registry") };
}
