/** Schema words: the few things about a schema object that every part of cleaning asks. Rules: SC12, SC13. */
import type { JsonObject } from "../../contracts/json.ts";

/** What the place of a schema says about it, and keeps when the schema is replaced. */
const PLACE_KEYS: ReadonlySet<string> = new Set(["description", "title", "default"]);

/** The words of a place, in their order. */
export const placeWords = (place: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(place).filter(([key]) => PLACE_KEYS.has(key)));
