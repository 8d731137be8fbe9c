/** prepareSchema: the copy of a JSON Schema that the validator may see: known keywords, nothing for the native RegExp. Rules: TC6, SE88, HP14, HP15. */
import type { Fault, JsonObject, JsonSchema, JsonValue } from "../../contracts/json.ts";

const DEEPEST = 32;
/** `uniqueItems` compares every item with every other one. */
const MOST_UNIQUE_ITEMS = 1_000;

const TYPE_WORDS: ReadonlySet<JsonValue> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

type KeywordKind = "value" | "schema" | "schemas" | "schema_or_schemas" | "map";

/**
 * Everything else is left out: annotations say nothing to a validator, and a schema hidden under a word of its own
 * could be reached by `$ref` and bring its patterns with it. `pattern`, `patternProperties` and `format` are absent on purpose.
 */
const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ...["$id", "$ref", "$anchor", "type", "const", "enum", "multipleOf"].map(asValue),
  ...["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "maxLength", "minLength"].map(asValue),
  ...["maxItems", "minItems", "maxContains", "minContains"].map(asValue),
  ...["maxProperties", "minProperties", "required", "dependentRequired"].map(asValue),
  ["additionalProperties", "schema"],
  ["unevaluatedProperties", "schema"],
  ["propertyNames", "schema"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  ["contains", "schema"],
  ["additionalItems", "schema"],
  ["unevaluatedItems", "schema"],
  ["items", "schema_or_schemas"],
  ["prefixItems", "schemas"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["properties", "map"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["dependentSchemas", "map"],
  ["dependencies", "map"],
]);

function asValue(keyword: string): [string, KeywordKind] {
  return [keyword, "value"];
}

export interface PreparedSchema {
  /** Fresh and unfrozen: the validator writes into it. */
  readonly schema: JsonSchema;
  readonly faults: readonly Fault[];
}

export function prepareSchema(schema: JsonSchema): PreparedSchema {
  const faults: Fault[] = [];
  const prepared = prepareObject(schema, { path: [], depth: 1, faults });
  return { schema: prepared, faults };
}

interface Place {
  readonly path: readonly string[];
  /** Schemas around this one, itself included. */
  readonly depth: number;
  readonly faults: Fault[];
}

const below = (place: Place, step: string): Place => ({ ...place, path: [...place.path, step] });

function report({ path, faults }: Place, message: string): void {
  faults.push({ path: path.join("."), message });
}

function prepare(value: JsonValue, place: Place): JsonValue {
  if (typeof value === "boolean") return value;
  if (isObject(value)) return prepareObject(value, { ...place, depth: place.depth + 1 });
  report(place, "must be a schema: an object, true or false");
  return true;
}

function prepareObject(schema: JsonObject, place: Place): JsonObject {
  if (place.depth > DEEPEST) {
    report(place, `nested deeper than ${DEEPEST}`);
    return {};
  }
  reportUnknownTypes(schema["type"], below(place, "type"));
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined || opensWithPatterns(schema, keyword)) return [];
    return [[keyword, prepareKeyword(kind, value, below(place, keyword))]];
  });
  const prepared: JsonObject = Object.fromEntries(kept);
  return schema["uniqueItems"] === true ? withUniqueItems(prepared) : prepared;
}

/** Members that a removed `patternProperties` would have allowed must not become forbidden. */
function opensWithPatterns(schema: JsonObject, keyword: string): boolean {
  return Object.hasOwn(schema, "patternProperties") && /^(?:additional|unevaluated)Properties$/.test(keyword);
}

function withUniqueItems(schema: JsonObject): JsonObject {
  const bound = { maxItems: MOST_UNIQUE_ITEMS };
  const others = Array.isArray(schema["allOf"]) ? schema["allOf"] : [];
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and nobody awaits a schema
  return { ...schema, allOf: [...others, { if: bound, then: { uniqueItems: true }, else: bound }] };
}

function prepareKeyword(kind: KeywordKind, value: JsonValue, place: Place): JsonValue {
  switch (kind) {
    case "value":
      return copyJson(value);
    case "schema":
      return prepare(value, place);
    case "schemas":
      return prepareList(value, place);
    case "schema_or_schemas":
      return Array.isArray(value) ? prepareList(value, place) : prepare(value, place);
    case "map":
      return prepareMap(value, place);
    default:
      return kind satisfies never;
  }
}

function prepareList(value: JsonValue, place: Place): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue, index) => prepare(item, below(place, String(index))));
  report(place, "must be a list of schemas");
  return [];
}

/** `dependencies` of draft-07 may name required members instead of a schema. */
function prepareMap(value: JsonValue, place: Place): JsonValue {
  if (!isObject(value)) {
    report(place, "must map names to schemas");
    return {};
  }
  const prepared = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    Array.isArray(member) && place.path.at(-1) === "dependencies" ? member : prepare(member, below(place, name)),
  ]);
  return Object.fromEntries(prepared);
}

/** The validator fails every value of a type it does not know, without a word. */
function reportUnknownTypes(type: JsonValue | undefined, place: Place): void {
  if (type === undefined) return;
  for (const word of Array.isArray(type) ? type : [type]) {
    if (!TYPE_WORDS.has(word)) report(place, `unknown type ${JSON.stringify(word)}`);
  }
}

function copyJson(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
