/** JSON as data: the only shape in which arguments, metadata and structured results travel. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** A JSON Schema document (2020-12 unless it says otherwise). */
export type JsonSchema = JsonObject;

/** One thing wrong with a value: where (dotted path, `""` is the root) and why, in words for a person. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** No array and no null: something that has members. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
