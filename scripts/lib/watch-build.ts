/** Passes a server's output on, and tells when its build has failed: the server then stays up and never answers. */
import type { ChildProcess } from "node:child_process";

const FAILED = /Build failed with \d+ error/;

/** Resolves once the failure is in the output, whole; never, if there is none. */
export function watchBuild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    let seen = "";
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const) {
      from?.setEncoding("utf8").on("data", (text: string) => {
        to.write(text);
        seen = (seen + text).slice(-4096);
        if (FAILED.test(seen)) resolve();
      });
    }
  });
}
