/** What of a server's answers is insisted on before they are read entry by entry: one bad entry never spoils the rest. Rules: MC4, MC14. */
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isObject } from "../contracts/json.ts";

export interface LoosePage {
  readonly tools: readonly unknown[];
  readonly nextCursor?: unknown;
}
export interface LooseResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

export const loosePage: StandardSchemaV1<unknown, LoosePage> = insist(
  (value): value is LoosePage => isObject(value) && Array.isArray(value["tools"]),
);
export const looseResult: StandardSchemaV1<unknown, LooseResult> = insist((value): value is LooseResult =>
  isObject(value),
);

function insist<Value>(fits: (value: unknown) => value is Value): StandardSchemaV1<unknown, Value> {
  return {
    "~standard": {
      version: 1,
      vendor: "countersign",
      validate: (value) => (fits(value) ? { value } : { issues: [{ message: "is not of the expected form" }] }),
    },
  };
}
