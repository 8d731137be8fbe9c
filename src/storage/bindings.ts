/** The gate before SQL: which values may be bound, how large they may be. Rules: DU1, DU2. */
import type { SqlValue } from "./sql-port.ts";
import { encodeUtf8 } from "./utf8.ts";

/** Bytes. Production refuses 2 MB, and a value of that size can keep an object from opening again. */
export const maxValueBytes = 262_144;

function byteLength(value: string | Uint8Array): number {
  if (typeof value !== "string") return value.byteLength;
  // A UTF-16 unit is at most three bytes, so ids and enums are never encoded just to be measured.
  return value.length * 3 <= maxValueBytes ? value.length : encodeUtf8(value).byteLength;
}

function checkBinding(value: unknown): void {
  if (value === null) return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("a bound number must be finite");
    return;
  }
  if (typeof value !== "string" && !(value instanceof Uint8Array)) {
    throw new TypeError(`a ${typeof value} cannot be bound`);
  }
  if (byteLength(value) > maxValueBytes) throw new RangeError(`a bound value is over ${maxValueBytes} bytes`);
}

/**
 * Every `SqlPort` calls this before each statement, so no store can forget it. Throws `TypeError` for what the two SQLites
 * would bind differently (booleans, bigints, undefined, NaN), `RangeError` for a value that must be chunked.
 */
export function checkBindings(bindings: readonly SqlValue[]): void {
  for (const value of bindings) checkBinding(value);
}
