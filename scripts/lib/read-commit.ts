/** The commit that a checkout stands on, for `/healthz` to name. */
import { spawnSync } from "node:child_process";

/** Seven digits or more; `undefined` without git, or where the folder is no root of a checkout. */
export function readCommit(folder: string): string | undefined {
  // An unpacked copy inside somebody else's repository has a prefix there, and must not borrow its commit.
  const { status, stdout } = spawnSync("git", ["rev-parse", "--show-prefix", "--short=7", "HEAD"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? /^\n([0-9a-f]{7,64})\n$/.exec(stdout)?.[1] : undefined;
}
