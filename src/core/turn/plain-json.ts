/** Plain JSON: what code from outside hands in, as JSON would carry it, and a freeze for what was digested. Rules: RX11, TC8, SE57, SE58, CP20. */
import type { JsonValue } from "../../contracts/json.ts";
import { countUtf8 } from "../../contracts/utf8-size.ts";
import { makeWellFormed } from "../../contracts/well-formed.ts";

const DEEPEST = 64;
/** How the text of a value spells half a surrogate pair; a false alarm costs one copy. */
const LONE_SURROGATE = /\\ud[89a-f]/;

/** A copy that nobody else holds, its text well-formed; `undefined` for what is no JSON, nested deeper than 64, or over `mostBytes`. */
export function toPlainJson(value: unknown, mostBytes = Number.POSITIVE_INFINITY): JsonValue | undefined {
  const text = stringify(value);
  if (text === undefined || countUtf8(text) > mostBytes) return undefined;
  const copy = JSON.parse(text) as JsonValue;
  if (isDeeperThan(copy, DEEPEST)) return undefined;
  return LONE_SURROGATE.test(text) ? makeWellFormed(copy) : copy;
}

/** A cycle, a bigint or a member that throws has no text; nor has what is nested beyond the engine's stack. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Level by level, because the value may be deeper than the stack. */
function isDeeperThan(value: JsonValue, limit: number): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= limit; depth += 1) {
    level = level.filter((item) => typeof item === "object" && item !== null);
    if (level.length === 0) return false;
    level = level.flatMap((item): readonly JsonValue[] => Object.values(item as object));
  }
  return true;
}

/** Freezes `value` itself and all that is in it, at most 64 levels: what was digested can no longer become something else. */
export function freezeJson<Value extends JsonValue>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) freezeJson(item);
    Object.freeze(value);
  }
  return value;
}
