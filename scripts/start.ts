/** `npm start`: a local server with its secrets made, its key printed. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkConfig, formatReport } from "./lib/check-config.ts";
import { ensureDevVars } from "./lib/dev-vars.ts";
import { isPortFree, loopbackHost } from "./lib/free-port.ts";
import { writeGeneratedConfig } from "./lib/generated-config.ts";
import { projectRoot } from "./lib/project-root.ts";
import { supervise } from "./lib/supervise.ts";
import { watchBuild } from "./lib/watch-build.ts";
import { waitReady } from "./lib/wait-ready.ts";
import { wranglerDevArguments, wranglerDevEnvironment } from "./lib/wrangler-command.ts";

const defaultPort = "8787";
const readyWithinMs = 90_000;
const usage = "usage: npm start -- [--port N] [--config FILE] [--persist-to DIR] [--log-level LEVEL]";
const exampleTurn = "what is 12*(3+4), and what time is it in Madrid?";

function refuse(reason: string): never {
  console.error(`countersign: ${reason}`);
  process.exit(1);
}

/** Paths are relative to where npm was called, not to the package that npm changes into. */
function fromCaller(path: string): string {
  return resolve(process.env["INIT_CWD"] ?? process.cwd(), path);
}

/** Two servers on one folder would write the same databases. */
const stateFolder = (port: string): string =>
  join(projectRoot, port === defaultPort ? ".wrangler/state" : `.wrangler/state-${Number(port)}`);

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string", default: defaultPort },
        config: { type: "string" },
        "persist-to": { type: "string" },
        "log-level": { type: "string", default: "warn" },
      },
    });
    const persistTo = values["persist-to"];
    return {
      port: Number(values.port),
      configFile: values.config === undefined ? undefined : fromCaller(values.config),
      persistTo: persistTo === undefined ? stateFolder(values.port) : fromCaller(persistTo),
      logLevel: values["log-level"],
    };
  } catch (fault) {
    return refuse(`${fault instanceof Error ? fault.message : String(fault)}\n${usage}`);
  }
}

/** For a shell: a key of one's own choice may have any visible character in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function describe(url: string, key: string): string {
  return `
Countersign is ready on ${url}
Development key: ${key}

A first turn, streamed:

  curl -sS -N ${url}/v1/conversations/demo-conversation-1/turns \\
    -H ${quote(`Authorization: Bearer ${key}`)} \\
    -H 'Content-Type: application/json' \\
    -H 'Accept: text/event-stream' \\
    -d '{"input":"${exampleTurn}"}'
`;
}

const { port, configFile, persistTo, logLevel } = readArguments();
if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(`--port must be 1 to 65535\n${usage}`);
if (configFile !== undefined && !existsSync(configFile)) refuse(`there is no config file ${configFile}`);
if (!(await isPortFree(port))) refuse(`port ${port} is taken; choose another: npm start -- --port ${port + 1}`);

const variables = ensureDevVars(join(projectRoot, ".dev.vars"), process.env);
const report = await checkConfig(configFile ?? join(projectRoot, "countersign.config.ts"), {
  env: "dev",
  boundSecrets: new Set(Object.keys(variables)),
});
for (const line of formatReport(report)) console.error(line);
if (report.faults.length > 0) refuse("the configuration has faults, so nothing was started");
const config = writeGeneratedConfig({ directory: join(projectRoot, `.wrangler/start-${port}`), variables, configFile });
const server = { config, port, persistTo, logLevel };
const child = spawn(process.execPath, wranglerDevArguments(server), {
  cwd: projectRoot,
  env: { ...wranglerDevEnvironment(server), ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) },
  stdio: ["ignore", "pipe", "pipe"],
});

const stopped = new AbortController();
const url = `http://${loopbackHost}:${port}`;
const buildFailed = watchBuild(child).then(() => "failed" as const);

/** Edits that break a running server's build are shown and can be mended; a first build that fails ends the command. */
async function announce(): Promise<void> {
  const late = AbortSignal.timeout(readyWithinMs);
  const ready = waitReady(url, AbortSignal.any([stopped.signal, late]));
  const outcome = await Promise.race([ready, buildFailed]);
  if (outcome === true) return console.log(describe(url, variables["COUNTERSIGN_DEV_KEY"] ?? ""));
  if (stopped.signal.aborted) return;
  const reason = outcome === "failed" ? "the first build failed" : `no answer within ${readyWithinMs / 1000} seconds`;
  console.error(`countersign: ${reason}, so nothing is served`);
  process.exitCode = 1;
  child.kill("SIGTERM");
}
void announce();
const code = await supervise(child);
stopped.abort();
process.exit(process.exitCode ?? code);
