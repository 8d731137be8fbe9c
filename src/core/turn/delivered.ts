/** What a result delivers besides its text: a file, or a new plan. Rules: EX12, EX13. */
import type { Artifact, CallOutcome } from "../../contracts/call.ts";
import type { JsonObject, JsonValue } from "../../contracts/json.ts";

/** Only a tool that says that it delivered a file, and where, has one. */
export function readArtifact(data: JsonValue | undefined): Artifact | undefined {
  if (!isObject(data) || data["delivered"] !== true) return undefined;
  const path = textOf(data["path"]);
  if (path === undefined) return undefined;
  const named = ["uri", "filename", "title", "mime"].flatMap((name) => {
    const text = textOf(data[name]);
    return text === undefined ? [] : [[name, text] as const];
  });
  return { path, ...Object.fromEntries(named), size: sizeOf(data["size"]) };
}

/** The whole list that replaces the plan; `[]` clears it. The tool has judged its entries. */
export function readPlan(tool: string, { success, data }: CallOutcome): readonly JsonValue[] | undefined {
  if (tool !== "todo_write" || !success || !isObject(data)) return undefined;
  const todos = data["todos"];
  return isList(todos) ? todos : undefined;
}

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const sizeOf = (value: JsonValue | undefined): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
