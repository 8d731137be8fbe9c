/** Starts plain `workerd serve` in a process group of its own and ends all of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort, loopbackHost } from "../../scripts/lib/free-port.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { waitReady } from "../../scripts/lib/wait-ready.ts";
import type { Bundle } from "./build-bundle.ts";
import { formatWorkerdConfig } from "./workerd-config.ts";

const binary = join(projectRoot, "node_modules/workerd/bin/workerd");
const readyWithinMs = 30_000;

export const developmentKey = "ck_dev_bench";

/** Fixed keys: what the benchmark signs is thrown away. */
const variables = {
  COUNTERSIGN_ENV: "dev",
  COUNTERSIGN_DEV_KEY: developmentKey,
  RECEIPT_KEYS: JSON.stringify({ bench: Buffer.alloc(32, 7).toString("base64url") }),
  RECEIPT_ACTIVE_KID: "bench",
};

export interface StartWorkerd {
  readonly bundle: Bundle;
  /** Takes the config and the databases. */
  readonly directory: string;
  /** The functions of the Worker get their names in `/tmp/perf-<pid>.map`. */
  readonly forPerf: boolean;
}

export interface RunningWorkerd {
  readonly port: number;
  /** Process group, and the one process in it. */
  readonly group: number;
  stop(): Promise<void>;
}

/** Throws when the server does not answer in time. */
export async function startWorkerd({ bundle, directory, forPerf }: StartWorkerd): Promise<RunningWorkerd> {
  const port = await findFreePort();
  const storage = join(directory, "objects");
  mkdirSync(storage, { recursive: true });
  const config = join(directory, "workerd.capnp");
  const address = `${loopbackHost}:${port}`;
  const v8Flags = forPerf ? ["--perf-basic-prof", "--interpreted-frames-native-stack"] : [];
  writeFileSync(config, formatWorkerdConfig({ bundle, directory, variables, storage, address, v8Flags }));
  const child = spawn(binary, ["serve", config], { detached: true, stdio: ["ignore", "inherit", "inherit"] });
  const group = child.pid;
  if (group === undefined) throw new Error("workerd could not be started");
  const kill = (): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-group, "SIGKILL");
  };
  process.once("exit", kill);
  const abandoned = new AbortController();
  child.once("exit", () => abandoned.abort());
  const limit = AbortSignal.any([abandoned.signal, AbortSignal.timeout(readyWithinMs)]);
  const stop = async (): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    kill();
    await ended;
  };
  if (await waitReady(`http://${loopbackHost}:${port}`, limit)) return { port, group, stop };
  await stop();
  throw new Error("workerd did not become ready");
}
