/** The argument summary: a call's arguments on one line, for whoever is asked to approve it. Rules: AP17, SE25. */
import { type JsonValue, isObject } from "../contracts/json.ts";
import { cutCodePoints } from "./cut-text.ts";
import { showInvisible } from "./visible-text.ts";

/** Takes credentials out of a value; arrives from outside, because it knows the product's own secrets. */
export type RedactValue = (value: JsonValue) => JsonValue;

const MOST_VALUE_CHARS = 80;
const MOST_CHARS = 120;

/**
 * `path` first, the rest by key. Redaction comes before the cut, so that no cut leaves half a secret; what is invisible is
 * written out after it, so that it cannot be pushed out of sight.
 */
export function summarizeArguments(args: JsonValue, redact: RedactValue): string {
  const redacted = redact(args);
  if (!isObject(redacted)) return showInvisible(cutCodePoints(JSON.stringify(redacted), MOST_CHARS, "…"));
  return Object.entries(redacted)
    .toSorted(([one], [other]) => compareKeys(one, other))
    .map(([key, value]) => showInvisible(`${key}: ${cutCodePoints(asText(value), MOST_VALUE_CHARS, "…")}`))
    .join(", ");
}

const asText = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));

function compareKeys(one: string, other: string): number {
  if (one === other) return 0;
  if (one === "path") return -1;
  if (other === "path") return 1;
  return one < other ? -1 : 1;
}
