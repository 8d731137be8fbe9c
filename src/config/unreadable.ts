/** Finds the place in a config file whose value cannot even be read: a getter or a proxy that throws. Rules: CF2. */
import { isObject } from "../contracts/json.ts";
import type { PathPart, Place } from "./value-paths.ts";

/** The first such place, in file order; `undefined` when every value can be read. Objects may contain themselves. */
export function findUnreadable(file: unknown): readonly PathPart[] | undefined {
  const seen = new Set<unknown>();
  const search = ({ path, value }: Place): readonly PathPart[] | undefined => {
    if ((!Array.isArray(value) && !isObject(value)) || seen.has(value)) return undefined;
    seen.add(value);
    const keys = attempt(() => Object.keys(value));
    if (keys === unreadable) return path;
    for (const key of keys) {
      const inner = [...path, Array.isArray(value) ? Number(key) : key];
      const member = attempt((): unknown => Reflect.get(value, key));
      const found = member === unreadable ? inner : search({ path: inner, value: member });
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search({ path: [], value: file });
}

const unreadable = Symbol("unreadable");

function attempt<Value>(read: () => Value): Value | typeof unreadable {
  try {
    return read();
  } catch {
    return unreadable;
  }
}
