/** needsCleaning: whether cleaning could change a schema at all. Rules: SC19. */
import type { JsonValue } from "../../contracts/json.ts";
import { type CleaningStrategy, dropsKeyword } from "./strategies.ts";

const REWRITTEN: ReadonlySet<string> = new Set(["$ref", "const", "anyOf", "oneOf"]);

/** Looks at every object, property maps included: a false yes costs a copy, a false no would send what a provider refuses. */
export function needsCleaning(value: JsonValue, strategy: CleaningStrategy): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item: JsonValue) => needsCleaning(item, strategy));
  return Object.entries(value).some(
    ([key, member]) =>
      REWRITTEN.has(key) ||
      dropsKeyword(strategy, key) ||
      (key === "type" && Array.isArray(member)) ||
      needsCleaning(member, strategy),
  );
}
