/** Moves opaque metadata between the provider package's key and the configured provider's name. Rules: PV17, UP17. */
import type { JsonObject } from "../../contracts/json.ts";

/** The name given to the package. It is ours and fixed: some names have a meaning there, and the configured one is the user's. */
export const METADATA_KEY = "countersign";

/** Under the configured name, so that it goes back to the provider it came from and to no other. */
export function keepMetadata(given: object | undefined, provider: string): JsonObject | undefined {
  const inner: unknown = given === undefined ? undefined : (given as { [key: string]: unknown })[METADATA_KEY];
  return inner === undefined ? undefined : { [provider]: inner as JsonObject };
}
