/** What the validator is given instead of a foreign schema: never narrower than the schema itself. */
import { type Schema, Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema, JsonValue } from "../../../src/contracts/json.ts";
import { prepareSchema } from "../../../src/tools/schema/prepare-schema.ts";

const accepts = (schema: JsonSchema, value: JsonValue): boolean =>
  new Validator(structuredClone(schema) as Schema, "2020-12", false).validate(value).valid;
const acceptsPrepared = (schema: JsonSchema, value: JsonValue): boolean => accepts(prepareSchema(schema).schema, value);

const text = { type: "string" } as const;
const lossy = { type: "string", pattern: "^a" } as const;

describe("a constraint that is left out turns no verdict around", () => {
  test.each<[string, JsonSchema, JsonValue]>([
    ["under not", { not: lossy }, "b"],
    ["under two of them", { not: { not: { not: { format: "email" } } } }, "b"],
    ["in a property under not", { not: { properties: { a: lossy }, required: ["a"] } }, { a: "b" }],
    ["under oneOf", { oneOf: [lossy, text] }, "b"],
    ["under oneOf beside anyOf", { oneOf: [lossy, text], anyOf: [text] }, "b"],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ["under if", { if: lossy, then: false }, "b"],
    ["under if, with else", { if: { not: lossy }, else: false }, "b"],
    ["under a counted contains", { contains: lossy, maxContains: 1 }, ["a", "b"]],
    ["behind a reference", { not: { $ref: "#/$defs/a" }, $defs: { a: lossy } }, "b"],
    [
      "behind a dynamic reference",
      { not: { $dynamicRef: "#a" }, $defs: { a: { $dynamicAnchor: "a", ...lossy } } },
      "b",
    ],
    [
      "where it names members",
      { allOf: [{ patternProperties: { "^a": true } }], unevaluatedProperties: false },
      { a: 1 },
    ],
    [
      "where its branch names members",
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      { if: { properties: { a: lossy } }, then: { properties: { b: true } }, unevaluatedProperties: false },
      { a: "a", b: 1 },
    ],
  ])("[SE88] %s", (_where, schema, value) => {
    expect(acceptsPrepared(schema, value)).toBe(true);
  });

  test.each<[string, JsonSchema, JsonValue]>([
    ["not", { properties: { a: lossy }, not: { type: "string" } }, "b"],
    ["oneOf", { properties: { a: lossy }, oneOf: [text, { minLength: 1 }] }, "b"],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    ["if", { if: text, then: { maxLength: 1, pattern: "^a" } }, "bb"],
    ["what is known of the branches", { oneOf: [lossy, { type: "number" }] }, true],
    ["maxContains", { contains: text, maxContains: 1, items: lossy }, ["a", "a"]],
    ["unevaluatedProperties", { properties: { a: lossy }, unevaluatedProperties: false }, { b: 1 }],
    ["references, when nothing was left out", { not: { $ref: "#/$defs/a" }, $defs: { a: text } }, "b"],
  ])("[SE88] what can still be told is: %s", (_what, schema, value) => {
    expect(acceptsPrepared(schema, value)).toBe(false);
  });
});

const values = fc.letrec<{ value: JsonValue; leaf: JsonValue }>((tie) => ({
  leaf: fc.constantFrom<JsonValue>("a", "ab", "b", "", 0, 1, null, true),
  value: fc.oneof(
    { depthSize: "small" },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Schemas of every keyword that judges by what others said, with patterns anywhere in them. */
const schemas = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const schema = tie("schema");
  // The validator shows a schema in place what its cousins evaluated, against the standard: no case rests on that.
  const inPlace = schema.map(
    ({ unevaluatedProperties: _properties, unevaluatedItems: _items, ...rest }): JsonSchema => rest,
  );
  const map = (held: fc.Arbitrary<JsonSchema>) => fc.dictionary(fc.constantFrom("a", "b"), held, { maxKeys: 2 });
  const list = (held: fc.Arbitrary<JsonSchema>) => fc.array(held, { minLength: 1, maxLength: 3 });
  const closed = fc.constantFrom<JsonValue>(false, true, { type: "string" });
  const one = (keyword: string, value: fc.Arbitrary<unknown>) =>
    value.map((held) => ({ [keyword]: held }) as JsonSchema);
  const leaf = fc.oneof(
    one("type", fc.constantFrom("string", "number", "object", "array")),
    one("pattern", fc.constantFrom("^a", "b$", "^$")),
    one("format", fc.constantFrom("email", "date")),
    one("minLength", fc.constantFrom(1, 2)),
    one("required", fc.constantFrom(["a"], ["b"])),
    one("const", fc.constantFrom("a", 1)),
    one("$ref", fc.constantFrom("#/$defs/plain", "#/$defs/lossy")),
  );
  const applied = fc.oneof(
    ...["contains", "items", "propertyNames"].map((keyword) => one(keyword, schema)),
    ...["allOf", "anyOf", "oneOf"].map((keyword) => one(keyword, list(inPlace))),
    one("not", inPlace),
    one("prefixItems", list(schema)),
    one("properties", map(schema)),
    one("dependentSchemas", map(inPlace)),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    fc.record({ if: inPlace, then: inPlace, else: inPlace }, { requiredKeys: ["if"] }) as fc.Arbitrary<JsonSchema>,
    fc.tuple(schema, fc.nat(1)).map(([contains, maxContains]) => ({ contains, maxContains, minContains: 0 })),
    fc.tuple(schema, closed).map(([held, rest]) => ({ patternProperties: { "^a": held }, additionalProperties: rest })),
  );
  const ending = fc.oneof(
    fc.constant({}),
    one("unevaluatedProperties", closed),
    one("unevaluatedItems", closed),
    one("additionalProperties", closed),
  );
  const some = fc.oneof({ depthSize: "small" }, leaf, applied);
  return {
    schema: fc.tuple(some, some, ending).map(([first, second, last]): JsonSchema => ({ ...first, ...second, ...last })),
  };
}).schema;

test("[SE88] whatever the original accepts, the prepared schema accepts", () => {
  const $defs = { plain: { type: "string" }, lossy: { not: { pattern: "^a" } } };
  let accepted = 0;
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const whole: JsonSchema = { ...schema, $defs };
      if (!accepts(whole, value)) return;
      accepted++;
      expect(acceptsPrepared(whole, value)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
  expect(accepted).toBeGreaterThan(300);
});
