/** Finds the server that `npm start` runs on a port, or runs one for as long as it is needed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { failWith, type Result, succeed } from "../../src/contracts/result.ts";
import { isPortFree, loopbackHost } from "./free-port.ts";
import { projectRoot } from "./project-root.ts";
import { findServerKey, type ServerKey } from "./server-key.ts";
import { waitReady } from "./wait-ready.ts";

/** One that has its port is on its way up, or is something else. */
const answersWithinMs = 15_000;
const readyWithinMs = 60_000;
const stopsWithinMs = 10_000;

export interface ReachServer {
  readonly port: number;
  /** Absolute; only a server that is started here can have it. */
  readonly configFile: string | undefined;
  /** Told before one is started. */
  readonly onStart: (url: string) => void;
  /** Told what a server that is started here has to say of its configuration, line by line. */
  readonly onWarning: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface ReachedServer extends ServerKey {
  readonly url: string;
  /** All that a server started here has written so far; absent for one that runs on. */
  readonly output?: () => string;
  /** Stops what was started here, and nothing else. */
  stop(): Promise<void>;
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [stdout, stderr]) stream?.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
  return () => chunks.join("").trim();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** `npm start`'s own script ends its server on SIGTERM; the group is killed when it does not. */
async function stop(child: ChildProcess): Promise<void> {
  const giveUp = setTimeout(() => signalGroup(child, "SIGKILL"), stopsWithinMs);
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    await once(child, "close");
  }
  clearTimeout(giveUp);
  signalGroup(child, "SIGKILL");
}

interface StartedServer {
  readonly child: ChildProcess;
  readonly output: () => string;
}

async function startServer(request: ReachServer, url: string): Promise<Result<StartedServer, string>> {
  const { port, configFile, signal, onWarning } = request;
  const config = configFile === undefined ? [] : ["--config", configFile];
  const child = spawn(process.execPath, [join(projectRoot, "scripts/start.ts"), "--port", String(port), ...config], {
    cwd: projectRoot,
    // A group of its own: Ctrl-C reaches this process alone, which then stops the server in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  const limits = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(readyWithinMs)]);
  if (await waitReady(url, limits)) {
    for (const line of output().split("\n")) if (line.startsWith("warning: ")) onWarning(line);
    return succeed({ child, output });
  }
  await stop(child);
  return failWith(signal.aborted ? "stopped before the server was ready" : `the server did not start\n${output()}`);
}

async function adoptServer({ configFile, port, signal }: ReachServer, url: string): Promise<Result<undefined, string>> {
  if (configFile !== undefined)
    return failWith(`port ${port} is taken, and --config is for a server that is started here`);
  const limits = AbortSignal.any([signal, AbortSignal.timeout(answersWithinMs)]);
  return (await waitReady(url, limits))
    ? succeed(undefined)
    : failWith(`what runs on ${url} does not answer as a server of ours`);
}

/** Fails with a sentence for whoever typed the command. */
export async function reachServer(request: ReachServer): Promise<Result<ReachedServer, string>> {
  const url = `http://${loopbackHost}:${request.port}`;
  if (!(await isPortFree(request.port))) {
    const adopted = await adoptServer(request, url);
    if (!adopted.ok) return adopted;
    const key = findServerKey();
    return key.ok ? succeed({ url, ...key.value, stop: async () => undefined }) : key;
  }
  request.onStart(url);
  const started = await startServer(request, url);
  if (!started.ok) return started;
  const { child, output } = started.value;
  // The script has written the file by now.
  const key = findServerKey();
  if (key.ok) return succeed({ url, ...key.value, output, stop: () => stop(child) });
  await stop(child);
  return key;
}
