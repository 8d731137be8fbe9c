/** Ties a child process to this one: signals go down, the exit code comes up. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";

const parentCheckMs = 1000;

/** npm killed outright sends no signal; its child then has another parent. */
function watchParent(onOrphaned: () => void): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) onOrphaned();
  }, parentCheckMs).unref();
}

/** Resolves with the code to exit with: the child's own, or 128 + n when signal n ended it. */
export function supervise(child: ChildProcess): Promise<number> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  watchParent(() => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
