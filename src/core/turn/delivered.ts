/** What a result delivers besides its text: a file, a new plan, another model, or tools to activate. Rules: EX12, EX13, LC29, TS14. */
import type { Artifact, CallOutcome } from "../../contracts/call.ts";
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import type { Tool } from "../../contracts/tool.ts";
import { TODO_WRITE, TOOL_SEARCH, isBuiltin } from "../../policy/builtin-tool.ts";

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
export function readPlan(tool: Tool, { success, data }: CallOutcome): readonly JsonValue[] | undefined {
  if (!isBuiltin(tool, TODO_WRITE) || !success || !isObject(data)) return undefined;
  const todos = data["todos"];
  return isList(todos) ? todos : undefined;
}

/** `provider/model` that a `model_switch` asks for. */
export function readAskedModel({ success, data }: CallOutcome): string | undefined {
  return success && isObject(data) ? textOf(data["model"]) : undefined;
}

/** Real names that the built-in `tool_search` found, in that order. */
export function readActivated(tool: Tool, { success, data }: CallOutcome): readonly string[] {
  if (!isBuiltin(tool, TOOL_SEARCH) || !success || !isObject(data)) return [];
  const names = data["activated"];
  return isList(names) ? names.filter((name) => typeof name === "string") : [];
}

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const sizeOf = (value: JsonValue | undefined): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
