/** Provider names: a real tool name as a provider may be told it, and back by the request's own map. Rules: TS21, SC1–SC3, SE91. */
import { digestText } from "../../receipts/digest.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const SHORT_HASH = 8;
const LONG_HASH = 16;
/** Name, `_` and hash fit in 64. */
const ROOM = 64 - 1;

/** Pure, so that a call in old history keeps its name although its tool is gone. */
export function providerName(realName: string, hashDigits = SHORT_HASH): string {
  if (LEGAL.test(realName)) return realName;
  const legal = Array.from(realName, (point) => (LEGAL.test(point) ? point : "_")).join("");
  return `${legal.slice(0, ROOM - hashDigits)}_${digestText(realName).slice(0, hashDigits)}`;
}

/** Real name → provider name for one request; a rewritten name that meets another one takes a longer hash. */
export function providerNames(realNames: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map(realNames.map((name) => [name, providerName(name)]));
  const uses = new Map<string, number>();
  for (const name of first.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    Array.from(first, ([real, name]) => [real, (uses.get(name) ?? 0) > 1 ? providerName(real, LONG_HASH) : name]),
  );
}
