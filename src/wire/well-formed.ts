/** Makes text from outside well-formed UTF-16 before anything else sees it. Rules: RX11, SE56. */
import type { JsonValue } from "../contracts/json.ts";

/** A lone surrogate becomes U+FFFD; everything else stays as it is. */
export const makeWellFormed = (text: string): string => text.toWellFormed();

/** The same value with every string and member name well-formed. Copies keep hostile names as own members (SE58). */
export function makeJsonWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return makeWellFormed(value);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(makeJsonWellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [makeWellFormed(name), makeJsonWellFormed(member)]),
  );
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
