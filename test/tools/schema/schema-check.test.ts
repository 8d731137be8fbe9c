/** Foreign JSON Schemas: places of faults, hostile schemas, hostile values. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Fault, JsonSchema, JsonValue } from "../../../src/contracts/json.ts";
import { createSchemaCheck } from "../../../src/tools/schema/schema-check.ts";

function check(schema: JsonSchema, value: JsonValue): readonly Fault[] {
  const made = createSchemaCheck(schema);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return made.value(value);
}

const paths = (faults: readonly Fault[]): string[] => faults.map(({ path }) => path);
const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

describe("places", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      items: { type: "array", items: { $ref: "#/$defs/item" } },
      "a/b~c%20#é": { type: "string" },
      when: true,
    },
    required: ["items"],
    additionalProperties: false,
    dependentSchemas: { when: { properties: { when: { anyOf: [{ minimum: 5 }] } } } },
    $defs: { item: { type: "object", allOf: [{ properties: { name: { type: "string" } } }] } },
  };

  test.each<[JsonValue, string[]]>([
    [{ items: [] }, []],
    [{}, [""]],
    [{ items: [{ name: "a" }, { name: 1 }] }, ["items.1.name"]],
    [{ items: {} }, ["items"]],
    [{ items: [], "a/b~c%20#é": 1 }, ["a/b~c%20#é"]],
    [{ items: [], when: 4 }, ["when", "when"]],
    [{ items: [], other: 1, more: 2 }, ["other", "more"]],
    [[], [""]],
  ])("a fault has the dotted path of the value that is wrong, and of nothing around it: %j", (value, expected) => {
    expect(paths(check(schema, value))).toEqual(expected);
  });

  test("a message is short whatever it quotes", () => {
    const [fault] = check({ enum: ["x".repeat(10_000)] }, "y");
    expect(fault?.message.length).toBeLessThanOrEqual(200);
  });
});

describe("what never reaches the validator", () => {
  const hostile = `^(${"a+".repeat(3)})+$`;

  test.each<[string, JsonSchema]>([
    ["pattern", { properties: { a: { pattern: "^(a+)+$" } } }],
    ["a broken pattern", { properties: { a: { pattern: "(" } } }],
    ["patternProperties", { patternProperties: { "^(a+)+$": false, "(": false } }],
    ["format", { properties: { a: { format: "email" } } }],
    ["a pattern in a list", { allOf: [{ anyOf: [{ not: { not: { properties: { a: { pattern: hostile } } } } }] }] }],
  ])("[SE88] %s is taken out, the tool stays", (_what, schema) => {
    expect(check(schema, { a: `${"a".repeat(40)}!` })).toEqual([]);
  });

  test("[SE88] a property may be called pattern or format", () => {
    const schema: JsonSchema = { properties: { pattern: { type: "string" }, format: { type: "string" } } };
    expect(paths(check(schema, { pattern: 1, format: 2 }))).toEqual(["pattern", "format"]);
  });

  test("[SE88] members that only a removed pattern allowed stay allowed, named ones stay checked", () => {
    const schema: JsonSchema = {
      properties: { n: { type: "number" } },
      patternProperties: { "^x-": {} },
      additionalProperties: false,
    };
    expect(check(schema, { "x-a": 1 })).toEqual([]);
    expect(paths(check(schema, { n: "1" }))).toEqual(["n"]);
  });

  test("[SE88] a pattern hidden under an unknown keyword cannot be reached by reference", () => {
    const schema: JsonSchema = {
      properties: { a: { $ref: "#/x-hidden/evil" } },
      "x-hidden": { evil: { pattern: "^(a+)+$" } },
    };
    expect(paths(check(schema, { a: `${"a".repeat(40)}!` }))).toEqual([""]);
  });
});

describe("hostile schemas and values", () => {
  test.each<[string, JsonSchema, JsonValue]>([
    ["a reference to itself", { $ref: "#" }, {}],
    ["a dangling reference", { properties: { a: { $ref: "#/$defs/none" } } }, { a: 1 }],
    ["a remote reference", { properties: { a: { $ref: "https://example.com/schema" } } }, { a: 1 }],
    ["a lone surrogate as a name", { additionalProperties: { type: "string" } }, { "\ud800": 1 }],
  ])("[HP15] %s is a fault, never a pass and never an exception", (_what, schema, value) => {
    expect(check(schema, value)).toEqual([{ path: "", message: "cannot be checked against the schema" }]);
  });

  test("[HP15] data that overflows the stack is a fault", () => {
    const schema: JsonSchema = { properties: { a: { $ref: "#" } }, additionalProperties: false };
    const deep = parse(`${'{"a":'.repeat(5_000)}{}${"}".repeat(5_000)}`);
    expect(check(schema, deep)).toHaveLength(1);
    expect(check(schema, parse(`${'{"a":'.repeat(20)}{}${"}".repeat(20)}`))).toEqual([]);
  });

  test("[HP15] uniqueItems compares up to 1,000 items and refuses more", () => {
    const schema: JsonSchema = { properties: { list: { uniqueItems: true, allOf: [{ minItems: 1 }] } } };
    const numbers = (count: number): JsonValue => ({ list: Array.from({ length: count }, (_, index) => index) });
    expect(check(schema, numbers(1_000))).toEqual([]);
    expect(paths(check(schema, numbers(1_001)))).toEqual(["list"]);
    expect(paths(check(schema, { list: [1, 2, 1] }))).toEqual(["list"]);
    expect(paths(check(schema, { list: [] }))).toEqual(["list"]);
  });

  test("[SE58] names of Object.prototype are names like any other", () => {
    expect(check({ required: ["constructor"] }, {})).toHaveLength(1);
    expect(check({ additionalProperties: false }, parse('{"__proto__":1}'))).toHaveLength(1);
    const schema = parse('{"properties":{"__proto__":{"type":"string"},"toString":{"type":"number"}}}') as JsonSchema;
    expect(check(schema, {})).toEqual([]);
    expect(paths(check(schema, parse('{"__proto__":1,"toString":"a"}')))).toEqual(["__proto__", "toString"]);
  });
});

describe("schemas that are refused", () => {
  test.each<[JsonSchema, string]>([
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, "$schema"],
    [{ $schema: 7 }, "$schema"],
  ])("[HP13] an unknown dialect: %j", (schema, path) => {
    expect(createSchemaCheck(schema)).toMatchObject({ ok: false, failure: [{ path }] });
  });

  test.each<[JsonSchema, string]>([
    [{ type: "text" }, "type"],
    [{ type: ["string", "nil"] }, "type"],
    [{ items: { properties: { a: { type: "any" } } } }, "items.properties.a.type"],
    [{ not: "string" }, "not"],
    [{ allOf: {} }, "allOf"],
    [{ properties: [] }, "properties"],
    [parse(`${'{"not":'.repeat(32)}{}${"}".repeat(32)}`) as JsonSchema, Array(32).fill("not").join(".")],
  ])("[HP14] what the validator would misread is found first: %j", (schema, path) => {
    expect(createSchemaCheck(schema)).toMatchObject({ ok: false, failure: [{ path }] });
  });

  test("[HP14] 32 schemas inside each other are fine", () => {
    expect(createSchemaCheck(parse(`${'{"not":'.repeat(31)}{}${"}".repeat(31)}`) as JsonSchema).ok).toBe(true);
  });
});

test("[HP13] draft-07 is read as draft-07: item lists, required lists under dependencies, siblings of $ref ignored", () => {
  const schema: JsonSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: {
      pair: { items: [{ type: "string" }, { type: "number" }], additionalItems: false },
      name: { $ref: "#/definitions/name", type: "number" },
    },
    dependencies: { pair: ["name"] },
    definitions: { name: { type: "string" } },
  };
  expect(check(schema, { pair: ["a", 1], name: "x" })).toEqual([]);
  expect(paths(check(schema, { pair: [1, 1, 1] }))).toEqual(["", "pair.0", "pair.2"]);
});

test("[HP15] any JSON value passes the empty schema and fails false", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(check({}, value as JsonValue)).toEqual([]);
      expect(check({ not: {} }, value as JsonValue)).not.toEqual([]);
    }),
  );
});
