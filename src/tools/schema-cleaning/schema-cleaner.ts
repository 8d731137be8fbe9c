/** createSchemaCleaner: cleaning that remembers, by identity of the source. Rules: SC20. */
import type { JsonSchema } from "../../contracts/json.ts";
import { cleanSchema } from "./clean-schema.ts";
import type { CleaningStrategy } from "./strategies.ts";

const MOST_RESULTS = 64;
/** UTF-16 code units of JSON text, taken for bytes. */
const MOST_SIZE = 4_194_304;

export type CleanForProvider = (schema: JsonSchema, strategy: CleaningStrategy) => JsonSchema;

/** A full memory takes no more: throwing out would make requests pay for each other's tools. */
export function createSchemaCleaner(): CleanForProvider {
  const results = new Map<CleaningStrategy, Map<JsonSchema, JsonSchema>>();
  let count = 0;
  let size = 0;
  return (schema, strategy) => {
    const known = results.get(strategy)?.get(schema);
    if (known !== undefined) return known;
    const cleaned = cleanSchema(schema, strategy);
    const length = cleaned === schema ? 0 : JSON.stringify(cleaned).length;
    if (count >= MOST_RESULTS || size + length > MOST_SIZE) return cleaned;
    count += 1;
    size += length;
    const ofStrategy = results.get(strategy) ?? new Map<JsonSchema, JsonSchema>();
    results.set(strategy, ofStrategy.set(schema, cleaned));
    return cleaned;
  };
}
