/** Reads the command line of `npm start`. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { failWith, type Result, succeed } from "../../src/contracts/result.ts";
import { projectRoot } from "./project-root.ts";
import { defaultPort, readPort } from "./read-port.ts";

export const startUsage = `usage: npm start -- [--port N] [--config FILE] [--persist-to DIR] [--log-level LEVEL]

  --port N          where to listen on 127.0.0.1; ${defaultPort} when left out
  --config FILE     a config file in place of countersign.config.ts
  --persist-to DIR  where conversations are kept; .wrangler/state when left out, .wrangler/state-N on another port
  --log-level LEVEL debug, info, log, warn, error or none; warn when left out`;

export interface StartArguments {
  readonly port: number;
  /** Absolute; absent: the repository's own. */
  readonly configFile: string | undefined;
  /** Absolute. */
  readonly persistTo: string;
  /** wrangler's own. */
  readonly logLevel: string;
}

const options = {
  port: { type: "string", default: String(defaultPort) },
  config: { type: "string" },
  "persist-to": { type: "string" },
  "log-level": { type: "string", default: "warn" },
} as const;

function parse(argv: readonly string[]) {
  try {
    return succeed(parseArgs({ args: [...argv], options }).values);
  } catch (fault) {
    return failWith(fault instanceof Error ? fault.message : String(fault));
  }
}

/** Two servers on one folder would write the same databases. */
const stateFolder = (port: number): string =>
  join(projectRoot, port === defaultPort ? ".wrangler/state" : `.wrangler/state-${port}`);

/** `directory` is what relative paths are relative to; fails with a sentence. */
export function readStartArguments(argv: readonly string[], directory: string): Result<StartArguments, string> {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { config, "persist-to": persistTo, "log-level": logLevel } = parsed.value;
  const port = readPort(parsed.value.port);
  if (!port.ok) return port;
  return succeed({
    port: port.value,
    configFile: config === undefined ? undefined : resolve(directory, config),
    persistTo: persistTo === undefined ? stateFolder(port.value) : resolve(directory, persistTo),
    logLevel,
  });
}
