/** The key of a local server: where this finds it, and where a shell finds it, since the key itself is shown to nobody. */
import { join } from "node:path";
import { failWith, type Result, succeed } from "../../src/contracts/result.ts";
import { readDevVars } from "./dev-vars.ts";
import { projectRoot } from "./project-root.ts";

export interface ServerKey {
  readonly key: string;
  readonly keySource: "environment" | "file";
}

/** The key as `npm start` has it: from the environment, else from the file that it keeps. Fails with a sentence. */
export function findServerKey(): Result<ServerKey, string> {
  const given = process.env["COUNTERSIGN_DEV_KEY"];
  if (given) return succeed({ key: given, keySource: "environment" });
  const stored = readDevVars(join(projectRoot, ".dev.vars"))["COUNTERSIGN_DEV_KEY"];
  return stored
    ? succeed({ key: stored, keySource: "file" })
    : failWith("no key: set COUNTERSIGN_DEV_KEY to the one that the server has");
}

/** What stands for the key in a command for a shell. */
export const keyInShell: Readonly<Record<ServerKey["keySource"], string>> = {
  environment: "$COUNTERSIGN_DEV_KEY",
  file: `$(sed -n 's/^COUNTERSIGN_DEV_KEY=//p' .dev.vars | tr -d "'")`,
};
