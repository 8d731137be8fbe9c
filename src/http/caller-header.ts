/** Names the caller on byte-stream requests to an object, as JSON in ASCII. Rules: SE17. */
import type { Caller } from "../contracts/verbs.ts";

export const callerHeader = "x-countersign-caller";

/** A subject may hold any character: what no header may carry is escaped. */
export const encodeCaller = (caller: Caller): string =>
  JSON.stringify(caller).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The object's side. Only the edge can reach it, and it names a caller on every request; anything else is nobody. */
export function decodeCaller(headers: Headers): Caller | undefined {
  const encoded = headers.get(callerHeader);
  if (encoded === null) return undefined;
  return JSON.parse(encoded) as Caller;
}
