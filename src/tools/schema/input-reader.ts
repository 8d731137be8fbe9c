/** readInput, readOutput: from what a tool declares to the schemas of its definition and the checks of its values. Rules: TC3, TC9, SE58, CP20. */
import { z } from "zod";
import type { Fault, JsonObject, JsonSchema, JsonValue } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import type { ToolInput } from "../tool-declaration.ts";
import { frozenJson } from "./frozen-json.ts";
import { createSchemaCheck } from "./schema-check.ts";

export interface InputReader {
  readonly schema: JsonSchema;
  /** The value `execute` gets, which is its own to change, or what is wrong with the arguments. */
  readonly check: (args: JsonObject) => Result<unknown, readonly Fault[]>;
}

export function readInput(input: ToolInput): Result<InputReader, readonly Fault[]> {
  if (input instanceof z.core.$ZodObject) return readZodInput(input);
  // Another zod type says `type: "object"` of itself too, and read as a JSON Schema it would allow everything.
  if ("_zod" in input) return failWith([{ path: "", message: "must be a zod object, no other zod type" }]);
  const schema = frozenJson(input);
  if (schema["type"] !== "object") return failWith([{ path: "type", message: 'must be "object"' }]);
  const check = createSchemaCheck(schema);
  if (!check.ok) return check;
  return succeed({
    schema,
    check: (args) => {
      const faults = check.value(args);
      return faults.length === 0 ? succeed(structuredClone(args)) : failWith(faults);
    },
  });
}

function readZodInput(input: z.core.$ZodObject): Result<InputReader, readonly Fault[]> {
  return succeed({
    schema: frozenJson(z.toJSONSchema(input, { io: "input" })),
    check: (args) => {
      try {
        const parsed = z.safeParse(input, structuredClone(args));
        return parsed.success ? succeed(parsed.data) : failWith(zodFaults(parsed.error));
      } catch {
        // Its own refinements and transforms may throw, or want to be awaited.
        return failWith([{ path: "", message: "cannot be checked against the schema" }]);
      }
    },
  });
}

export interface OutputReader {
  readonly schema: JsonSchema;
  readonly fits: (data: JsonValue) => boolean;
}

/** A tool's `output` as a JSON Schema, of zod too: data is JSON, and nothing is made of it. */
export function readOutput(output: z.ZodType | JsonSchema): Result<OutputReader, readonly Fault[]> {
  const schema = frozenJson(output instanceof z.core.$ZodType ? z.toJSONSchema(output, { io: "input" }) : output);
  const check = createSchemaCheck(schema);
  return check.ok ? succeed({ schema, fits: (data) => check.value(data).length === 0 }) : check;
}

export function zodFaults(error: z.ZodError): readonly Fault[] {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
}
