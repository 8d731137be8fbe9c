/** prepareSchema: the copy of a JSON Schema that the validator may see: known keywords, nothing for the native RegExp. Rules: TC6, SE88, HP14, HP15. */
import { type Fault, type JsonObject, type JsonSchema, type JsonValue, isObject } from "../../contracts/json.ts";
import { KEYWORDS, type KeywordKind, UNCHECKED } from "./schema-keywords.ts";
import { widenSchema } from "./widen-schema.ts";

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

export interface PreparedSchema {
  /** Fresh and unfrozen: the validator writes into it. */
  readonly schema: JsonSchema;
  readonly faults: readonly Fault[];
}

/** It accepts whatever `schema` accepts: where a constraint is left out, what could turn that around is left out too. */
export function prepareSchema(schema: JsonSchema): PreparedSchema {
  const { losses, ...prepared } = prepareWhole(schema, false);
  // A reference may lead to what was lost, from anywhere to anywhere; only now is it known that there is such a place.
  return losses === 0 ? prepared : prepareWhole(schema, true);
}

function prepareWhole(schema: JsonSchema, refsLose: boolean): PreparedSchema & Pick<Found, "losses"> {
  const found: Found = { faults: [], losses: 0, refsLose };
  return { schema: prepareObject(schema, { path: [], depth: 1, found }), faults: found.faults, losses: found.losses };
}

interface Found {
  readonly faults: Fault[];
  /** Constraints that were left out so far. */
  losses: number;
  /** Whether a reference counts as one of them. */
  readonly refsLose: boolean;
}

interface Place {
  readonly path: readonly string[];
  /** Schemas around this one, itself included. */
  readonly depth: number;
  readonly found: Found;
}

const below = (place: Place, step: string): Place => ({ ...place, path: [...place.path, step] });

function report({ path, found }: Place, message: string): void {
  found.faults.push({ path: path.join("."), message });
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
  const lossy = new Set<string>();
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, JsonValue][] => {
    const { found } = place;
    const before = found.losses;
    if (UNCHECKED.has(keyword) || (keyword === "$ref" && found.refsLose)) found.losses++;
    const kind = KEYWORDS.get(keyword);
    const prepared = kind === undefined ? undefined : prepareKeyword(kind, value, below(place, keyword));
    if (found.losses > before) lossy.add(keyword);
    return prepared === undefined ? [] : [[keyword, prepared]];
  });
  const prepared = widenSchema(Object.fromEntries(kept), lossy);
  return schema["uniqueItems"] === true ? withUniqueItems(prepared) : prepared;
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
      return structuredClone(value);
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
