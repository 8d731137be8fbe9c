/** Provider names: a real tool name as a provider may be told it, and back by the request's own map. Rules: TS21, SC1–SC3, SE91. */
import { digestText } from "../../receipts/digest.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
/** Hash digits of a rewritten name: more of them where fewer lead to a name that is there already. */
const [SHORT_HASH, ...LONGER] = [8, 16, 32] as const;
/** Name, `_` and hash fit in 64. */
const ROOM = 64 - 1;

/** Pure, so that a call in old history keeps its name although its tool is gone. */
export function providerName(realName: string, hashDigits: number = SHORT_HASH): string {
  if (LEGAL.test(realName)) return realName;
  const legal = Array.from(realName, (point) => (LEGAL.test(point) ? point : "_")).join("");
  return `${legal.slice(0, ROOM - hashDigits)}_${digestText(realName).slice(0, hashDigits)}`;
}

/** Real name → provider name for one request; a rewritten name that meets another one takes a longer hash. */
export function providerNames(realNames: readonly string[]): ReadonlyMap<string, string> {
  return LONGER.reduce(lengthenShared, new Map(realNames.map((name) => [name, providerName(name)])));
}

function lengthenShared(names: ReadonlyMap<string, string>, hashDigits: number): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  for (const name of names.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    Array.from(names, ([real, name]) => [real, (uses.get(name) ?? 0) > 1 ? providerName(real, hashDigits) : name]),
  );
}
