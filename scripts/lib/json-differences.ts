/** differences: where a value is not what was expected, compared as JSON by own keys. Rules: TP81. */
import type { JsonValue } from "../../src/contracts/json.ts";
import { isObject } from "../../src/core/turn/parse/text/call-objects.ts";

/** Where a row may expect a part of what there is; everywhere else each key counts. */
const PARTIAL: ReadonlySet<string> = new Set(["", "turn", "classify"]);

/** One line per place. */
export function differences(expected: JsonValue, actual: JsonValue, path = ""): readonly string[] {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item: JsonValue, index) => differences(item, actual[index] ?? null, `${path}[${index}]`));
  }
  if (!isObject(expected) || !isObject(actual)) {
    return Object.is(expected, actual) || expected === actual ? [] : [describe(path, expected, actual)];
  }
  const wanted = new Map(Object.entries(expected));
  const given = new Map(Object.entries(actual));
  const keys = PARTIAL.has(path) ? wanted.keys() : new Set([...wanted.keys(), ...given.keys()]);
  return Array.from(keys).flatMap((key) => {
    const place = path === "" ? key : `${path}.${key}`;
    const [want, have] = [wanted.get(key), given.get(key)];
    if (want === undefined || have === undefined) return [describe(place, want, have)];
    return differences(want, have, place);
  });
}

const describe = (path: string, expected: JsonValue | undefined, actual: JsonValue | undefined): string =>
  `${path}: expected ${show(expected)}, got ${show(actual)}`;

const show = (value: JsonValue | undefined): string => JSON.stringify(value) ?? "nothing";
