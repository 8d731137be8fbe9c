/** `npm start`: a local server with its secrets made, its key printed. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asksForHelp } from "./lib/asks-for-help.ts";
import { checkConfig, formatReport } from "./lib/check-config.ts";
import { ensureDevVars, type Variables } from "./lib/dev-vars.ts";
import { isPortFree, loopbackHost } from "./lib/free-port.ts";
import { writeGeneratedConfig } from "./lib/generated-config.ts";
import { projectRoot } from "./lib/project-root.ts";
import { readCommit } from "./lib/read-commit.ts";
import { readStartArguments, startUsage, type StartArguments } from "./lib/start-arguments.ts";
import { supervise } from "./lib/supervise.ts";
import { waitReady } from "./lib/wait-ready.ts";
import { watchBuild } from "./lib/watch-build.ts";
import { wranglerDevArguments, wranglerDevEnvironment } from "./lib/wrangler-command.ts";

const readyWithinMs = 90_000;
const stopsWithinMs = 10_000;
const exampleTurn = "what is 12*(3+4), and what time is it in Madrid?";

function refuse(reason: string): never {
  console.error(`countersign: ${reason}`);
  process.exit(1);
}

/** Paths are relative to where npm was called, not to the package that npm changes into. */
function readArguments(argv: readonly string[]): StartArguments {
  const parsed = readStartArguments(argv, process.env["INIT_CWD"] ?? process.cwd());
  return parsed.ok ? parsed.value : refuse(`${parsed.failure}\n${startUsage}`);
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

/** Says what is wrong with the configuration, and goes no further with one that has faults. */
async function judgeConfig(file: string, variables: Variables): Promise<void> {
  const report = await checkConfig(file, { env: "dev", boundSecrets: new Set(Object.keys(variables)) });
  for (const line of formatReport(report)) console.error(line);
  if (report.faults.length > 0) refuse("the configuration has faults, so nothing was started");
}

/** The commit is known where this is a checkout; a name given from outside wins. */
function nameCommit(): Variables {
  const commit = process.env["COUNTERSIGN_COMMIT"] || readCommit(projectRoot);
  return commit === undefined ? {} : { COUNTERSIGN_COMMIT: commit };
}

function startServer({ port, configFile, persistTo, logLevel }: StartArguments, variables: Variables): ChildProcess {
  const config = writeGeneratedConfig({
    directory: join(projectRoot, `.wrangler/start-${port}`),
    variables: { ...variables, ...nameCommit() },
    configFile,
  });
  const server = { config, port, persistTo, logLevel };
  return spawn(process.execPath, wranglerDevArguments(server), {
    cwd: projectRoot,
    env: { ...wranglerDevEnvironment(server), ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Resolves with the code to exit with. Once it is up, edits that break the build are shown and can be mended. */
async function serve(settings: StartArguments, variables: Variables): Promise<number> {
  const url = `http://${loopbackHost}:${settings.port}`;
  const child = startServer(settings, variables);
  const ended = supervise(child);
  const late = AbortSignal.timeout(readyWithinMs);
  const abandoned = new AbortController();
  const outcome = await Promise.race([
    waitReady(url, AbortSignal.any([abandoned.signal, late])).then((ready) => (ready ? "ready" : "late")),
    watchBuild(child).then(() => "failed" as const),
    ended,
  ]);
  abandoned.abort();
  if (outcome === "ready") {
    console.log(describe(url, variables["COUNTERSIGN_DEV_KEY"] ?? ""));
    return await ended;
  }
  if (typeof outcome === "number" && outcome !== 1) return outcome;
  const reason = outcome === "late" ? `no answer within ${readyWithinMs / 1000} seconds` : "the first build failed";
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), stopsWithinMs).unref();
  await ended;
  // The reason stands last, below whatever the bundler had to say.
  console.error(`countersign: ${reason}, so nothing is served`);
  return 1;
}

const argv = process.argv.slice(2);
if (asksForHelp(argv)) {
  console.log(startUsage);
  process.exit(0);
}
const settings = readArguments(argv);
const { port, configFile } = settings;
if (configFile !== undefined && !existsSync(configFile)) refuse(`there is no config file ${configFile}`);
if (!(await isPortFree(port))) refuse(`port ${port} is taken; choose another: npm start -- --port ${port + 1}`);
const variables = ensureDevVars(join(projectRoot, ".dev.vars"), process.env);
await judgeConfig(configFile ?? join(projectRoot, "countersign.config.ts"), variables);
process.exit(await serve(settings, variables));
