/** describeIssue: what zod finds wrong, in words; none of them repeats a value, since it may be a secret in the wrong place. Rules: SE72, CF2. */
import type { z } from "zod";

/** zod's error map, below what a schema says of itself. */
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
      return describeBound(issue, Number(issue.minimum), ["at least", "more than"]);
    case "too_big":
      return describeBound(issue, Number(issue.maximum), ["at most", "less than"]);
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

interface Bound {
  /** What was measured: a number, or the size of something. */
  readonly origin: string;
  readonly inclusive?: boolean;
}

function describeBound({ origin, inclusive }: Bound, limit: number, [including, excluding]: readonly [string, string]) {
  const unit = units[origin];
  const bound = `${inclusive === false ? excluding : including} ${limit}`;
  if (unit === undefined) return `must be ${bound}`;
  return bound === "at least 1" ? "must not be empty" : `must have ${bound} ${unit}`;
}

/** Of a union told apart by a field, the values of that field; of one by types, the types. */
function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { options, errors } = issue;
  if (Array.isArray(options)) return `must be ${orList(options.map((option: unknown) => JSON.stringify(option)))}`;
  const types = errors.flatMap(([first]) =>
    first?.code === "invalid_type" && first.path.length === 0 ? [nameOf(first.expected)] : [],
  );
  // One of the forms fits by its type, so the fault lies deeper and no list of types would tell it.
  if (types.length < errors.length || types.length === 0) return "has none of the forms it may have";
  return `must be ${orList(types)}, not ${typeOf(issue.input)}`;
}
