/** Turns what zod says of a config file into faults with a path and a reason in words. Rules: CF2. */
import type { z } from "zod";
import { createFault, type Finding } from "./finding.ts";
import type { PathPart } from "./value-paths.ts";

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeNames[typeof value] ?? `a ${typeof value}`;
}

function describeBound(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>): string {
  const unit =
    issue.origin === "array" || issue.origin === "set" ? "entries" : issue.origin === "string" ? "characters" : "";
  const limit = issue.code === "too_big" ? issue.maximum : issue.minimum;
  const [inclusive, exclusive] = issue.code === "too_big" ? ["at most", "less than"] : ["at least", "more than"];
  return `must ${unit === "" ? "be" : "have"} ${issue.inclusive === false ? exclusive : inclusive} ${limit} ${unit}`.trimEnd();
}

const oneOf = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(" or ");

/** zod's error map for reading: no message repeats a value, since it may be a secret in the wrong place. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  const { code } = issue;
  if (code === "too_big" || code === "too_small") return describeBound(issue);
  if (issue.input === undefined) return "is required";
  if (code === "invalid_type") {
    return `must be ${typeNames[issue.expected] ?? issue.expected}, not ${describeType(issue.input)}`;
  }
  if (code === "invalid_value") return `must be ${oneOf(issue.values)}`;
  // The key that tells forms apart (`kind`, `scheme`) has none of their values.
  if ("options" in issue && Array.isArray(issue.options)) return `must be ${oneOf(issue.options)}`;
  return code === "invalid_union" ? "has none of the forms it may have" : "is not valid";
};

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
