/** Starts real `wrangler dev` servers for tests, each in a process group of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join, resolve } from "node:path";
import { findFreePort, loopbackHost } from "../../scripts/lib/free-port.ts";
import { writeGeneratedConfig } from "../../scripts/lib/generated-config.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { waitReady } from "../../scripts/lib/wait-ready.ts";
import { wranglerDevArguments, wranglerDevEnvironment } from "../../scripts/lib/wrangler-command.ts";

const readyWithinMs = 60_000;
const stopWithinMs = 10_000;
const groupEndsWithinMs = 3000;

/** Fixed, so that a server restarted on the same data can verify what the one before signed. */
export const testVariables = {
  COUNTERSIGN_ENV: "dev",
  COUNTERSIGN_DEV_KEY: "ck_dev_test",
  RECEIPT_KEYS: JSON.stringify({ test: Buffer.alloc(32, 7).toString("base64url") }),
  RECEIPT_ACTIVE_KID: "test",
};

export interface StartServer {
  /** Relative to the repository; default: the shipped Worker. */
  readonly entry?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Relative to the repository; default: the shipped config. */
  readonly configFile?: string;
  /** Folder of the databases; it is kept. Default: a temporary one, removed when the server ends. */
  readonly persistTo?: string;
  /** Environment of the wrangler process, over this process's own. */
  readonly env?: Record<string, string>;
  /** Variables of the Worker, over `testVariables`. */
  readonly vars?: Record<string, string>;
}

export interface RunningServer {
  readonly url: string;
  readonly key: string;
  /** Process group of wrangler with its workerd: what a CPU measurement sums over. */
  readonly group: number;
  /** All that the server has written so far. */
  output(): string;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL to the whole group: wrangler alone would leave workerd behind. */
  kill(): Promise<void>;
}

const running = new Set<number>();
process.once("exit", () => running.forEach((group) => signalGroup(group, "SIGKILL")));

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    running.delete(group);
  }
}

function collectOutput(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => chunks.push(text));
  return () => chunks.join("");
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/**
 * The group outlives its leader for a moment, so the end is when no member takes a signal any more. There is a deadline
 * because the dead take signals too, where the machine's first process collects none of them.
 */
async function endOf(child: ChildProcess, group: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const deadline = Date.now() + groupEndsWithinMs;
  while (isAlive(group) && Date.now() < deadline) {
    signalGroup(group, "SIGKILL");
    await sleep(20);
  }
  running.delete(group);
}

export async function startServer(options: StartServer = {}): Promise<RunningServer> {
  const port = options.port ?? (await findFreePort());
  const directory = mkdtempSync(join(tmpdir(), "countersign-server-"));
  const variables = { ...testVariables, ...options.vars };
  const configFile = options.configFile === undefined ? undefined : resolve(projectRoot, options.configFile);
  const config = writeGeneratedConfig({ directory, variables, configFile });
  const persistTo = options.persistTo ?? join(directory, "state");
  const entry = options.entry === undefined ? undefined : resolve(projectRoot, options.entry);
  const server = { entry, config, port, persistTo, logLevel: "warn" };
  const child = spawn(process.execPath, wranglerDevArguments(server), {
    cwd: projectRoot,
    detached: true,
    env: { ...wranglerDevEnvironment(server), ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = child.pid;
  if (group === undefined) throw new Error("wrangler could not be started");
  running.add(group);
  const output = collectOutput(child);

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    signalGroup(group, signal);
    const giveUp = setTimeout(() => signalGroup(group, "SIGKILL"), stopWithinMs);
    await endOf(child, group);
    clearTimeout(giveUp);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };

  const url = `http://${loopbackHost}:${port}`;
  const abandoned = new AbortController();
  const limit = setTimeout(() => abandoned.abort(), readyWithinMs);
  child.once("exit", () => abandoned.abort());
  const ready = await waitReady(url, abandoned.signal);
  clearTimeout(limit);
  if (!ready) {
    await end("SIGKILL");
    throw new Error(`the server did not become ready on ${url}:\n${output()}`);
  }
  return {
    url,
    key: variables.COUNTERSIGN_DEV_KEY,
    group,
    output,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
