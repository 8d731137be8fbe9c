/** createSchemaCheck: judges JSON values against a foreign JSON Schema; a validator that throws is a fault, never a pass. Rules: HP10, HP13, HP15. */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { Fault, JsonSchema, JsonValue } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import { once } from "../once.ts";
import { prepareSchema } from "./prepare-schema.ts";

/** Faults of a value; none means that it fits. */
export type SchemaCheck = (value: JsonValue) => readonly Fault[];

const DIALECTS: ReadonlyMap<JsonValue | undefined, "2020-12" | "7"> = new Map([
  [undefined, "2020-12"],
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  ["http://json-schema.org/draft-07/schema", "7"],
  ["http://json-schema.org/draft-07/schema#", "7"],
]);

const MESSAGE_CHARS = 200;

/** They only say that something below them failed, which is reported with its own place. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "$ref",
  "allOf",
  "if",
  "properties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "dependentSchemas",
]);

export function createSchemaCheck(schema: JsonSchema): Result<SchemaCheck, readonly Fault[]> {
  const draft = DIALECTS.get(schema["$schema"]);
  if (draft === undefined) return failWith([{ path: "$schema", message: "only 2020-12 and draft-07 are known" }]);
  const prepared = prepareSchema(schema);
  if (prepared.faults.length > 0) return failWith(prepared.faults);
  const validator = once(() => new Validator(prepared.schema as Schema, draft, false));
  return succeed((value) => {
    try {
      return faultsOf(validator().validate(value).errors);
    } catch {
      return [{ path: "", message: "cannot be checked against the schema" }];
    }
  });
}

function faultsOf(errors: readonly OutputUnit[]): readonly Fault[] {
  const telling = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  const shown = telling.length === 0 ? errors.slice(0, 1) : telling;
  return shown.map(({ instanceLocation, keyword, error }) => ({
    path: dottedPath(instanceLocation),
    message: keyword === "false" ? "is not allowed here" : error.slice(0, MESSAGE_CHARS).toWellFormed(),
  }));
}

/** `#/a~1b/0` → `a/b.0`; the validator percent-encodes each step. */
function dottedPath(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
}
