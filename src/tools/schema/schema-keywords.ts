/** What there is in a JSON Schema: the words a validator may see, those it may not although they say something. Rules: SE88, HP14. */

export type KeywordKind = "value" | "schema" | "schemas" | "schema_or_schemas" | "map";

/**
 * Everything else is left out: annotations say nothing to a validator, and a schema hidden under a word of its own
 * could be reached by `$ref` and bring its patterns with it.
 */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
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

/** Constraints that nobody checks: patterns, which the native engine would run, and a reference whose target only running shows. */
export const UNCHECKED: ReadonlySet<string> = new Set(["pattern", "patternProperties", "format", "$dynamicRef"]);
