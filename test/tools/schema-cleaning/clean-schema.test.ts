/** Schema cleaning beyond the vectors: what stays, in which order, and what must not blow up. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonSchema } from "../../../src/contracts/json.ts";
import { cleanSchema, isSendable } from "../../../src/tools/schema-cleaning/clean-schema.ts";
import { needsCleaning } from "../../../src/tools/schema-cleaning/needs-cleaning.ts";
import { createSchemaCleaner } from "../../../src/tools/schema-cleaning/schema-cleaner.ts";
import { type CleaningStrategy, cleaningStrategies } from "../../../src/tools/schema-cleaning/strategies.ts";

const property = (schema: JsonObject, more: JsonObject = {}): JsonSchema => ({
  type: "object",
  properties: { p: schema },
  ...more,
});
function cleaned(schema: JsonObject, strategy: CleaningStrategy = "openai", more: JsonObject = {}): unknown {
  return (cleanSchema(property(schema, more), strategy)["properties"] as JsonObject)["p"];
}

describe("keywords", () => {
  const ALL: JsonObject = Object.fromEntries(
    "$schema $id additionalProperties patternProperties minLength maxLength pattern format minimum maximum multipleOf minItems maxItems uniqueItems minProperties maxProperties examples title nullable"
      .split(" ")
      .map((keyword) => [keyword, 1]),
  );

  test.each<readonly [CleaningStrategy, string]>([
    ["openai", Object.keys(ALL).join(" ")],
    ["anthropic", Object.keys(ALL).join(" ")],
    ["conservative", Object.keys(ALL).join(" ").replace("additionalProperties ", "")],
    ["gemini", "title nullable"],
  ])("[SC10] %s keeps %s", (strategy, kept) => {
    expect(Object.keys(cleaned({ ...ALL, const: 1 }, strategy) as JsonObject)).toEqual([...kept.split(" "), "enum"]);
  });

  test("[SC10][SC16] names of properties are never keywords", () => {
    const names = { $ref: {}, pattern: {}, const: {}, anyOf: {}, type: { type: ["string", "null"] } };
    expect(cleaned({ properties: names }, "gemini")).toEqual({ properties: { ...names, type: { type: "string" } } });
  });

  test.each(cleaningStrategies)("[SC11] %s rewrites references, unions, constants and types", (strategy) => {
    const schema = {
      a: { $ref: "#/$defs/D" },
      b: { anyOf: [{ type: "null" }, {}] },
      c: { const: 1 },
      d: { type: ["null"] },
    };
    expect(cleanSchema({ properties: schema, $defs: { D: { title: "D" } } }, strategy)["properties"]).toEqual({
      a: { title: "D" },
      b: {},
      c: { enum: [1] },
      d: { type: "null" },
    });
  });
});

describe("references", () => {
  const tables = {
    $defs: {
      "a/b~c": { type: "string", title: "T", default: "x" },
      Loop: { items: { $ref: "#/$defs/Loop", title: "L" } },
    },
  };

  test("[SC12] escapes in the name, words of the place, other siblings lost", () => {
    const place = { $ref: "#/$defs/a~1b~0c", default: "y", minLength: 3 };
    expect(cleaned(place, "anthropic", tables)).toEqual({ type: "string", title: "T", default: "y" });
  });

  test("[SC12] a reference into itself, to nothing or out of the tables gives the words alone", () => {
    expect(cleaned({ $ref: "#/$defs/Loop" }, "gemini", tables)).toEqual({ items: { title: "L" } });
    for (const $ref of ["#/$defs/None", "#/properties/p", "#", "#/$defs/a/b", "https://a.invalid/x"]) {
      expect(cleaned({ $ref, description: "d", type: "string" }, "gemini", tables)).toEqual({ description: "d" });
    }
  });

  test("[SC12] the tables of the root count, not those on the way", () => {
    const inner = { $defs: { D: { title: "inner" } }, items: { $ref: "#/$defs/D" } };
    expect(cleaned(inner, "gemini", { $defs: { D: { title: "root" } } })).toEqual({ items: { title: "root" } });
  });

  test("[SC12] the same definition may be used twice side by side", () => {
    const twice = { properties: { a: { $ref: "#/$defs/D" }, b: { $ref: "#/$defs/D" } } };
    expect(cleaned(twice, "gemini", { $defs: { D: { type: "string" } } })).toEqual({
      properties: { a: { type: "string" }, b: { type: "string" } },
    });
  });

  test("[SC12] definitions that double each other come to an end", () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } } },
      ]),
    );
    expect(JSON.stringify(cleaned({ $ref: "#/$defs/d0" }, "gemini", { $defs: defs })).length).toBeLessThan(4_000_000);
  });
});

describe("unions", () => {
  test.each<readonly [string, JsonObject, JsonObject]>([
    [
      "anyOf before oneOf",
      { anyOf: [{ type: "string" }, { const: null }], oneOf: [{ type: "integer" }], title: "t" },
      { type: "string", title: "t" },
    ],
    [
      "null in its three spellings",
      { oneOf: [{ type: "null" }, { enum: [null] }, { const: null }, { type: "integer", default: 1 }], default: 2 },
      { type: "integer", default: 2 },
    ],
    [
      "literals of both kinds",
      { anyOf: [{ enum: ["a"], type: "string" }, { type: "null" }, { const: "b", type: "string" }], description: "d" },
      { type: "string", enum: ["a", "b"], description: "d" },
    ],
    [
      "literals of two types",
      {
        anyOf: [
          { const: "a", type: "string" },
          { const: 1, type: "integer" },
        ],
      },
      {
        anyOf: [
          { enum: ["a"], type: "string" },
          { enum: [1], type: "integer" },
        ],
      },
    ],
    [
      "literals without a type",
      { anyOf: [{ const: "a" }, { const: "b" }] },
      { anyOf: [{ enum: ["a"] }, { enum: ["b"] }] },
    ],
    [
      "a union that stays keeps null",
      { title: "t", type: "object", anyOf: [{ type: "string" }, { type: "null" }, { type: ["integer", "null"] }] },
      { title: "t", anyOf: [{ type: "string" }, { type: "null" }, { type: "integer" }] },
    ],
    ["nothing but null", { anyOf: [{ type: "null" }] }, { anyOf: [{ type: "null" }] }],
    ["no list", { anyOf: { type: ["string"] } }, { anyOf: { type: "string" } }],
  ])("[SC13] %s", (_what, schema, expected) => {
    expect(cleaned(schema)).toEqual(expected);
  });

  test("[SC14] a constant becomes an enum of one, and what it holds is data", () => {
    expect(cleaned({ const: { const: 1, type: ["a"] } })).toEqual({ enum: [{ const: 1, type: ["a"] }] });
    expect(cleaned({ enum: ["a", "b"], const: "b" })).toEqual({ enum: ["b"] });
  });

  test("[SC15] a list of types loses null", () => {
    expect(cleaned({ type: ["string", "null"] })).toEqual({ type: "string" });
    expect(cleaned({ type: ["string", "null", "integer"] })).toEqual({ type: ["string", "integer"] });
  });

  test("[SC16] unknown keywords, examples and allOf are walked like schemas", () => {
    const schema = {
      mine: { const: 1 },
      examples: [{ const: 2 }],
      allOf: [{ const: 3 }, { type: ["string"] }],
      items: { const: 4 },
    };
    expect(cleaned(schema)).toEqual({
      mine: { enum: [1] },
      examples: [{ enum: [2] }],
      allOf: [{ enum: [3] }, { type: "string" }],
      items: { enum: [4] },
    });
  });

  test("[SC17] keys keep their order, and the bytes are the same each time", () => {
    const schema = { z: 1, type: ["string", "null"], a: { const: 1, b: 2 }, __proto: 3 };
    expect(JSON.stringify(cleaned(schema))).toBe('{"z":1,"type":"string","a":{"enum":[1],"b":2},"__proto":3}');
    const source = property(schema);
    expect(JSON.stringify(cleanSchema(source, "openai"))).toBe(
      JSON.stringify(cleanSchema(structuredClone(source), "openai")),
    );
  });

  test("[SC17] a property named __proto__ stays a property", () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"const":1}}}') as JsonObject;
    expect(JSON.stringify(cleaned(schema))).toBe('{"properties":{"__proto__":{"enum":[1]}}}');
  });

  test("[SC18] what is no object any more cannot be sent", () => {
    const union = cleanSchema({ type: "object", anyOf: [{ title: "a" }, { title: "b" }] }, "openai");
    expect([union, isSendable(union)]).toEqual([{ anyOf: [{ title: "a" }, { title: "b" }] }, false]);
    const object = cleanSchema({ type: ["object", "null"] }, "openai");
    expect([object, isSendable(object)]).toEqual([{ type: "object" }, true]);
  });
});

describe("the pre-scan", () => {
  test.each<readonly [boolean, CleaningStrategy, JsonObject]>([
    [true, "gemini", { properties: { pattern: {} } }],
    [false, "openai", { properties: { pattern: {} } }],
    [true, "openai", { default: [{ type: ["string"] }] }],
    [true, "openai", { properties: { const: {} } }],
    [false, "anthropic", { additionalProperties: false, allOf: [{ type: "string" }] }],
    [true, "conservative", { additionalProperties: false }],
  ])("[SC19] %s for %s: %j", (needed, strategy, schema) => {
    expect(needsCleaning(schema, strategy)).toBe(needed);
  });

  test("[SC19] no means that cleaning changes nothing, and the source itself is sent", () => {
    const keys = fc.constantFrom(
      "type",
      "properties",
      "items",
      "title",
      "enum",
      "format",
      "const",
      "anyOf",
      "$ref",
      "x",
    );
    const schemas = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("string", "null", null, 1),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(keys, tie("value"), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
    })).object;
    fc.assert(
      fc.property(schemas, fc.constantFrom(...cleaningStrategies), (schema, strategy) => {
        const result = cleanSchema(schema, strategy);
        expect(needsCleaning(schema, strategy) || result === schema).toBe(true);
        expect(JSON.stringify(cleanSchema(schema, strategy))).toBe(JSON.stringify(result));
      }),
      { numRuns: 1000 },
    );
  });

  test("[SC20] results are kept by identity and strategy, and a full memory takes no more", () => {
    const clean = createSchemaCleaner();
    const make = (): JsonSchema => ({ type: "object", const: 1 });
    const first = make();
    expect(clean(first, "openai")).toBe(clean(first, "openai"));
    expect(clean(first, "gemini")).not.toBe(clean(first, "openai"));
    const others = Array.from({ length: 62 }, make);
    for (const other of others) expect(clean(other, "openai")).toBe(clean(other, "openai"));
    const tooMany = make();
    expect(clean(tooMany, "openai")).not.toBe(clean(tooMany, "openai"));
    expect(clean(first, "openai")).toBe(clean(first, "openai"));
  });

  test("[SC20] nor does it keep more than 4 MiB", () => {
    const clean = createSchemaCleaner();
    const large: JsonSchema = { type: "object", const: 1, title: "x".repeat(3_000_000) };
    expect(clean(large, "openai")).toBe(clean(large, "openai"));
    const second = { ...large };
    expect(clean(second, "openai")).not.toBe(clean(second, "openai"));
  });
});
