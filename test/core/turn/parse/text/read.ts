/** Short ways to run the parser in tests. */
import type { JsonValue } from "../../../../../src/contracts/json.ts";
import { findCalls } from "../../../../../src/core/turn/parse/text/find-calls.ts";
import { ToolNames } from "../../../../../src/core/turn/parse/text/tool-names.ts";

export type ShortCall = readonly [name: string, args: JsonValue, id?: string];

export interface ShortReading {
  readonly calls: readonly ShortCall[];
  readonly text: string;
}

export const STANDARD_NAMES = ["oven_set", "oven_list", "dough_mix", "shell", "file_write", "http_request"];

/** Calls as tuples, ids only where there are any. */
export function read(text: string, names: readonly string[] = STANDARD_NAMES): ShortReading {
  const found = findCalls(text, new ToolNames(names));
  return {
    calls: found.calls.map(({ name, args, id }): ShortCall => (id === undefined ? [name, args] : [name, args, id])),
    text: found.text,
  };
}

export const callsIn = (text: string, names?: readonly string[]): readonly ShortCall[] => read(text, names).calls;
