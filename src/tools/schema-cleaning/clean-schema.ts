/** cleanSchema: a copy of an argument schema that one kind of provider takes. Rules: SC10–SC19. */
import { type JsonObject, type JsonSchema, type JsonValue, isObject } from "../../contracts/json.ts";
import { needsCleaning } from "./needs-cleaning.ts";
import { Definitions } from "./references.ts";
import { placeWords } from "./schema-words.ts";
import { type CleaningStrategy, dropsKeyword } from "./strategies.ts";
import { mergeMembers, unionOf } from "./unions.ts";

/** References are copied in, so a few that point at each other could grow without bound; past this they stand for nothing. */
const MOST_OBJECTS = 20_000;
/** Under these, keys are names that somebody chose. */
const NAME_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** The schema itself when there is nothing to clean; otherwise a new value, the same bytes each time. */
export function cleanSchema(schema: JsonSchema, strategy: CleaningStrategy): JsonSchema {
  if (!needsCleaning(schema, strategy)) return schema;
  return new Cleaner(schema, strategy).clean(schema, []);
}

/** A tool's arguments are an object for every provider: what cleaned to anything else cannot be sent. */
export const isSendable = (cleaned: JsonSchema): boolean => cleaned["type"] === "object";

class Cleaner {
  readonly #strategy: CleaningStrategy;
  readonly #definitions: Definitions;
  #objects = 0;

  constructor(root: JsonSchema, strategy: CleaningStrategy) {
    this.#strategy = strategy;
    this.#definitions = new Definitions(root);
  }

  /** `inside`: the definitions that are being copied in on the way down. */
  clean(schema: JsonObject, inside: readonly string[]): JsonObject {
    this.#objects += 1;
    if (typeof schema["$ref"] === "string") {
      return this.#putInPlace(this.#resolve(schema["$ref"], inside), schema, inside);
    }
    const union = unionOf(schema);
    if (union === undefined) return this.#cleanMembers(Object.entries(schema), inside);
    const [keyword, members] = union;
    const cleaned = members.map((member) => this.#cleanValue(member, inside));
    const merged = mergeMembers(cleaned);
    if (merged !== undefined) return this.#putInPlace(merged, schema, inside);
    const kept = Object.entries(schema).filter(([key]) => key !== "type");
    return this.#cleanMembers(kept, inside, new Map([[keyword, cleaned]]));
  }

  /** What the place says wins over what the replacement says. */
  #putInPlace(replacement: JsonObject, place: JsonObject, inside: readonly string[]): JsonObject {
    const words = this.#cleanMembers(Object.entries(placeWords(place)), inside);
    return Object.fromEntries([...Object.entries(replacement), ...Object.entries(words)]);
  }

  /** Nothing, for a reference to nothing, to what it stands in, or past the bound. */
  #resolve(reference: string, inside: readonly string[]): JsonObject {
    const name = this.#definitions.nameOf(reference);
    if (name === undefined || inside.includes(name) || this.#objects > MOST_OBJECTS) return {};
    const definition = this.#definitions.get(name);
    return isObject(definition) ? this.clean(definition, [...inside, name]) : {};
  }

  /** `done`: members that are clean already. */
  #cleanMembers(
    members: readonly (readonly [string, JsonValue])[],
    inside: readonly string[],
    done: ReadonlyMap<string, JsonValue> = new Map(),
  ): JsonObject {
    const hasConst = members.some(([key]) => key === "const");
    const cleaned = members.flatMap(([key, value]): (readonly [string, JsonValue])[] => {
      if (dropsKeyword(this.#strategy, key) || (hasConst && key === "enum")) return [];
      const ready = done.get(key);
      if (ready !== undefined) return [[key, ready]];
      if (key === "const") return [["enum", [value]]];
      if (key === "type" && Array.isArray(value)) return [[key, withoutNull(value)]];
      if (NAME_MAPS.has(key) && isObject(value)) return [[key, this.#cleanMap(value, inside)]];
      return [[key, this.#cleanValue(value, inside)]];
    });
    return Object.fromEntries(cleaned);
  }

  #cleanMap(map: JsonObject, inside: readonly string[]): JsonObject {
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, this.#cleanValue(value, inside)]));
  }

  #cleanValue(value: JsonValue, inside: readonly string[]): JsonValue {
    if (isObject(value)) return this.clean(value, inside);
    return Array.isArray(value) ? value.map((item: JsonValue) => this.#cleanValue(item, inside)) : value;
  }
}

function withoutNull(types: readonly JsonValue[]): JsonValue {
  const left = types.filter((type) => type !== "null");
  const [only = "null"] = left;
  return left.length > 1 ? left : only;
}
