/** Passes a server's output on, and tells when it cannot come up: wrangler then stays and never answers. */
import type { ChildProcess } from "node:child_process";

const failed = /Build failed with \d+ error|The Workers runtime failed to start/;

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
        if (failed.test(seen)) resolve();
      });
    }
  });
}
