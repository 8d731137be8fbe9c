/** Receipt keys: reads the master keys and the one that signs from the Worker's secrets. Rules: RE2, RE8. */
import type { Fault } from "../contracts/json.ts";
import type { ReceiptKeys } from "../contracts/receipt.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import { decodeBase64url } from "./base64url.ts";

const KEY_BYTES = 32;
const KID = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * `json` is the text of `RECEIPT_KEYS`, a map from kid to 32 bytes in base64url; without `activeKid` its only key signs.
 * Faults name the variable and the kid, never a value.
 */
export function parseReceiptKeys(
  json: string | undefined,
  activeKid: string | undefined,
): Result<ReceiptKeys, readonly Fault[]> {
  const entries = readMap(json);
  if (entries === undefined) {
    return failWith([{ path: "RECEIPT_KEYS", message: "must be a JSON object of key ids and keys" }]);
  }
  const masters = new Map<string, Uint8Array>();
  const faults: Fault[] = [];
  for (const [kid, encoded] of entries) {
    const master = typeof encoded === "string" ? decodeBase64url(encoded) : undefined;
    if (!KID.test(kid)) faults.push({ path: "RECEIPT_KEYS", message: "a key id is 1 to 64 of A-Z a-z 0-9 _ . -" });
    else if (master?.length === KEY_BYTES) masters.set(kid, master);
    else faults.push({ path: `RECEIPT_KEYS.${kid}`, message: "must be 32 bytes in base64url without padding" });
  }
  const active = activeKid ?? (entries.length === 1 ? entries[0]?.[0] : undefined);
  const fault = active === undefined ? "is needed to choose among several keys" : "names no key of RECEIPT_KEYS";
  if (active !== undefined && masters.has(active))
    return faults.length > 0 ? failWith(faults) : succeed({ active, masters });
  return failWith(faults.length > 0 ? faults : [{ path: "RECEIPT_ACTIVE_KID", message: fault }]);
}

/** Entries, not a plain object: a kid may be named like a member of `Object.prototype`. */
function readMap(json: string | undefined): [string, unknown][] | undefined {
  let map: unknown;
  try {
    map = JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
  if (typeof map !== "object" || map === null || Array.isArray(map)) return undefined;
  const entries = Object.entries(map);
  return entries.length > 0 ? entries : undefined;
}
