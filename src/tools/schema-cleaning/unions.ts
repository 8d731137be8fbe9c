/** Unions: what becomes of `anyOf` and `oneOf` once their members are clean. Rules: SC13. */
import { type JsonObject, type JsonValue, isObject } from "../../contracts/json.ts";

/** The keyword of the union in a schema, and its members. */
export function unionOf(schema: JsonObject): readonly [string, readonly JsonValue[]] | undefined {
  for (const keyword of ["anyOf", "oneOf"]) {
    const members = schema[keyword];
    if (Array.isArray(members)) return [keyword, members];
  }
  return undefined;
}

/** One schema that says the same as the cleaned members, if there is one: the only member that is not null, or one enum. */
export function mergeMembers(members: readonly JsonValue[]): JsonObject | undefined {
  const left = members.filter((member) => !isNullSchema(member));
  const [only] = left;
  if (left.length === 1 && isObject(only)) return only;
  return left.length === 0 ? undefined : mergeLiterals(left);
}

function mergeLiterals(members: readonly JsonValue[]): JsonObject | undefined {
  const literals = members.flatMap((member) => (isObject(member) ? literalOf(member) : []));
  const [first] = literals;
  if (first === undefined || literals.length < members.length) return undefined;
  if (literals.some(({ type }) => type !== first.type)) return undefined;
  return { type: first.type, enum: literals.map(({ value }) => value) };
}

/** A cleaned member has its `const` as an enum of one. */
function literalOf(member: JsonObject): readonly { readonly type: string; readonly value: JsonValue }[] {
  const { type, enum: values } = member;
  if (typeof type !== "string" || !Array.isArray(values) || values.length !== 1) return [];
  return values.map((value: JsonValue) => ({ type, value }));
}

function isNullSchema(member: JsonValue): boolean {
  if (!isObject(member)) return false;
  const { type, enum: values } = member;
  return type === "null" || (Array.isArray(values) && values.length === 1 && values[0] === null);
}
