/** Well-formed JSON: half a surrogate pair becomes U+FFFD wherever text comes in. Rules: RX11, SE56, SE58, TP7. */
import type { JsonValue } from "./json.ts";

/** The same value with every string and member name well-formed. Copies keep hostile names as own members (SE58). */
export function makeWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(makeWellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), makeWellFormed(member)]),
  );
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
