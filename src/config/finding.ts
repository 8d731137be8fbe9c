/** What a check of the config file found: a fault stops start-up, a warning does not. Rules: CF2, CF3, CF5, CF6. */
import type { ParseUrl } from "../policy/egress-guard.ts";
import { formatPath, type PathPart } from "./value-paths.ts";

export interface Finding {
  readonly severity: "fault" | "warning";
  readonly path: string;
  readonly message: string;
}

/** The deployment a file is read for; a check may judge by it. */
export interface ConfigEnvironment {
  readonly env: "live" | "test" | "dev";
  /** Names of secrets and variables that are bound. */
  readonly boundSecrets: ReadonlySet<string>;
  /** The parser of the platform that will fetch (SE34). */
  readonly parseUrl: ParseUrl;
}

/** The file as it was written (snake_case, perhaps faulty) and the deployment it is read for. */
export interface CheckedFile {
  readonly file: unknown;
  readonly environment: ConfigEnvironment;
}
export type ConfigCheck = (checked: CheckedFile) => readonly Finding[];

export function createFault(path: readonly PathPart[], message: string): Finding {
  return { severity: "fault", path: formatPath(path), message };
}

export function createWarning(path: readonly PathPart[], message: string): Finding {
  return { severity: "warning", path: formatPath(path), message };
}
