/** frozenJson: a deeply frozen JSON copy, so that a schema can be shared by reference. Rules: TC15. */
import type { JsonObject } from "../../contracts/json.ts";

/** @throws {TypeError} when `value` is cyclic or holds a bigint. */
export function frozenJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) => Object.freeze(member)) as JsonObject;
}
