/** Turns what zod says of a config file into faults, each with its path. Rules: CF2. */
import type { z } from "zod";
import { createFault, type Finding } from "./finding.ts";
import type { PathPart } from "./value-paths.ts";

type Issue = z.core.$ZodIssue;

/** Of the forms a value may have, the one it came closest to: the one whose faults lie deepest. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find((issues) => issues.length > 0 && issues.every(({ path }) => path.length > 0));
}

function unknownKey(key: string): string {
  return /[A-Z]/.test(key) ? "unknown key (keys are snake_case)" : "unknown key";
}

function flattenIssue(issue: Issue, base: readonly PathPart[]): readonly Finding[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => createFault([...path, key], unknownKey(key)));
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => createFault(path, message));
  const branch = issue.code === "invalid_union" ? closestBranch(issue.errors) : undefined;
  return branch === undefined
    ? [createFault(path, issue.message)]
    : branch.flatMap((inner) => flattenIssue(inner, path));
}

export function toFindings(error: z.ZodError): readonly Finding[] {
  return error.issues.flatMap((issue) => flattenIssue(issue, []));
}
