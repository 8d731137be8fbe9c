/** checkVectorLine: runs one row of a vector file and tells every value that differs. Rules: TP81. */
import type { JsonObject, JsonValue } from "../../src/contracts/json.ts";
import { isObject } from "../../src/core/turn/parse/text/call-objects.ts";
import { differences } from "./json-differences.ts";
import { vectorSuites } from "./vector-suites.ts";

export interface VectorOutcome {
  readonly id?: string;
  /** Each with the path, the expected and the actual value; none when the row passes. */
  readonly faults: readonly string[];
}

export function checkVectorLine(line: string): VectorOutcome {
  let row: JsonValue;
  try {
    row = JSON.parse(line) as JsonValue;
  } catch {
    return { faults: ["is not JSON"] };
  }
  if (!isObject(row) || !isObject(row["expect"])) return { faults: ["is no vector: it has no expect"] };
  const { id } = row;
  const faults = checkRow(row, row["expect"]);
  return typeof id === "string" ? { id, faults } : { faults };
}

function checkRow(row: JsonObject, expected: JsonObject): readonly string[] {
  const suite = vectorSuites.find((candidate) => candidate.fits(row));
  if (suite === undefined) return ["is of no known suite"];
  try {
    return differences(expected, suite.run(row));
  } catch (fault) {
    return [`threw ${String(fault)}`];
  }
}
