/** Canonical JSON: the one text of a JSON value that is hashed and signed (RFC 8785). Rules: RE3, RE6. */
import canonicalize from "canonicalize";
import type { JsonValue } from "../contracts/json.ts";

/**
 * Members sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them.
 * Throws for what has no canonical form: lone surrogates, NaN, infinities, cycles. Text is made well-formed long before.
 */
export function canonicalJson(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("this value has no JSON form");
  return text;
}
