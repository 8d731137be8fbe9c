/** widenSchema: one schema without the keywords that a constraint lost below them would turn into refusals. Rules: SE88. */
import type { JsonObject } from "../../contracts/json.ts";

/** They judge a value by what these others left to them. */
const UNEVALUATED = ["unevaluatedProperties", "unevaluatedItems"];
const IN_PLACE = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas", "dependencies"];

/** By a keyword that accepts more than it says: what would refuse for that very reason. */
const TURNED: ReadonlyMap<string, readonly string[]> = new Map([
  ["not", ["not"]],
  ["if", ["if", ...UNEVALUATED]],
  ["contains", ["maxContains"]],
  ["patternProperties", ["additionalProperties", ...UNEVALUATED]],
  ...IN_PLACE.map((keyword): [string, readonly string[]] => [keyword, UNEVALUATED]),
]);

/** `lossy`: the keywords of this schema at or under which a constraint was left out. */
export function widenSchema(schema: JsonObject, lossy: ReadonlySet<string>): JsonObject {
  const turned = new Set([...lossy].flatMap((keyword) => TURNED.get(keyword) ?? []));
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !turned.has(keyword)));
  if (!lossy.has("oneOf") || !Array.isArray(kept["oneOf"])) return kept;
  const { oneOf, allOf, ...others } = kept;
  return { ...others, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}
