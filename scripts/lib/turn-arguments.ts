/** Reads the command line of `npm run turn`. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { failWith, type Result, succeed } from "../../src/contracts/result.ts";
import { isId } from "../../src/wire/ids.ts";
import { defaultPort, readPort } from "./read-port.ts";

export const turnUsage = `usage: npm run turn -- "text" [--port N] [--conversation ID] [--agent NAME] [--config FILE] [--json]

  --port N           the server's port; ${defaultPort} when left out. Where none runs, one is started for this turn
  --conversation ID  the conversation to go on with; a new one when left out
  --agent NAME       who answers; the conversation's own agent, or the default one, when left out
  --config FILE      the config file of a server that is started for this turn
  --json             print the events as they came, one a line`;

export interface TurnArguments {
  readonly text: string;
  readonly port: number;
  /** Absent: a new one. */
  readonly conversation: string | undefined;
  /** Absent: the conversation's own, or the default one. */
  readonly agent: string | undefined;
  /** Absolute; only for a server that this command starts. */
  readonly configFile: string | undefined;
  /** Print the events as they came, one line of JSON each. */
  readonly json: boolean;
}

const options = {
  port: { type: "string", default: String(defaultPort) },
  conversation: { type: "string" },
  agent: { type: "string" },
  config: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

function parse(argv: readonly string[]) {
  try {
    return succeed(parseArgs({ args: [...argv], options, allowPositionals: true }));
  } catch (fault) {
    return failWith(fault instanceof Error ? fault.message : String(fault));
  }
}

/** Several words without quotes are one text. `directory` is what a relative `--config` is relative to; fails with a sentence. */
export function readTurnArguments(argv: readonly string[], directory: string): Result<TurnArguments, string> {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed.value;
  const text = positionals.join(" ");
  const port = readPort(values.port);
  if (text.trim() === "") return failWith("there is no text to send");
  if (!port.ok) return port;
  if (values.conversation !== undefined && !isId("conversation", values.conversation))
    return failWith("--conversation must be 16 to 64 letters, digits, _ or -");
  return succeed({
    text,
    port: port.value,
    conversation: values.conversation,
    agent: values.agent,
    configFile: values.config === undefined ? undefined : resolve(directory, values.config),
    json: values.json,
  });
}
