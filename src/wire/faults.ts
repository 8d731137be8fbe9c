/** Lists what a schema found wrong with a body, each fault with the path that a client can act on. Rules: SE72. */
import type { z } from "zod";
import type { Fault } from "../contracts/json.ts";

/** A body of thousands of unknown fields gets the first of them named, not an answer as large as itself. */
const maxFaults = 32;

export function collectFaults(issues: readonly z.core.$ZodIssue[]): readonly Fault[] {
  return issues.flatMap((issue) => flattenIssue(issue, [])).slice(0, maxFaults);
}

function flattenIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly Fault[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: joinPath([...path, key]), message: "unknown field" }));
  }
  if (issue.code === "invalid_union") {
    const closest = issue.errors.find((branch) => branch.length > 0 && branch.every(isDeep));
    if (closest !== undefined) return closest.flatMap((inner) => flattenIssue(inner, path));
  }
  return [{ path: joinPath(path), message: issue.message }];
}

/** The branch of a union that the value was meant for is the one whose own type fits. */
const isDeep = (issue: z.core.$ZodIssue): boolean => issue.path.length > 0 || issue.code !== "invalid_type";

const joinPath = (path: readonly PropertyKey[]): string => path.map(String).join(".");
