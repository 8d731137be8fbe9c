/** Says what a schema found wrong with a body as paths with reasons that a client can act on. Rules: SE72. */
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

/** zod's error map for bodies, below what a schema says of itself. No reason repeats a value. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected, issue.input);
    case "invalid_value":
      return `must be ${orList(issue.values.map((value) => JSON.stringify(value)))}`;
    case "invalid_union":
      return describeUnion(issue);
    case "too_small":
      return describeLeast(issue.origin, Number(issue.minimum));
    case "too_big":
      return describeMost(issue.origin, Number(issue.maximum));
    case "invalid_format":
      return formats[issue.format] ?? "does not have the form that it must have";
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
    case "unrecognized_keys":
      return "is not valid";
  }
};

const names: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
const units: Readonly<Record<string, string>> = { string: "characters", array: "entries" };
const formats: Readonly<Record<string, string>> = { url: "must be an http or https URL", base64: "must be base64" };

const nameOf = (type: string): string => names[type] ?? type;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : nameOf(typeof value);
}

/** Types in words, and what came instead, unless the one is a kind of the other. */
function describeType(expected: string, input: unknown): string {
  const wanted = `must be ${nameOf(expected)}`;
  return expected === "int" && typeof input === "number" ? wanted : `${wanted}, not ${typeOf(input)}`;
}

const orList = (parts: readonly string[]): string => Array.from(new Set(parts)).join(" or ");

/** `origin` says what was measured: a number, or the size of something. */
function describeLeast(origin: string, least: number): string {
  const unit = units[origin];
  if (unit === undefined) return `must be at least ${least}`;
  return least === 1 ? "must not be empty" : `must have at least ${least} ${unit}`;
}

function describeMost(origin: string, most: number): string {
  const unit = units[origin];
  return unit === undefined ? `must be at most ${most}` : `must have at most ${most} ${unit}`;
}

/** Of a union told apart by a field, the values of that field; of one by types, the types. */
function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { options } = issue;
  if (Array.isArray(options)) return `must be ${orList(options.map((option: unknown) => JSON.stringify(option)))}`;
  const expected = (issue.errors ?? []).flatMap(([first]) => (first?.code === "invalid_type" ? [first.expected] : []));
  return expected.length === 0 ? "is not valid" : `must be ${orList(expected.map(nameOf))}, not ${typeOf(issue.input)}`;
}
