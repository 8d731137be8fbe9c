/** `Idempotency-Key`, bare or as a structured string: both spell one key. Rules: HP2, SS11. */
import { failWith, type Result, succeed } from "../contracts/result.ts";

/** 1–255 visible ASCII characters. */
export const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The key, unquoted. Two headers arrive joined by a comma with a space, so they fail as any key with a space does. */
export function decodeIdempotencyKey(header: string): Result<string, "malformed"> {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  if (quoted === undefined && header.includes('"')) return failWith("malformed");
  const key = quoted === undefined ? header : quoted.replace(/\\(["\\])/g, "$1");
  return keyPattern.test(key) ? succeed(key) : failWith("malformed");
}
