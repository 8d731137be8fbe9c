/** Call objects: the calls that a JSON value asks for, with name, arguments and id. Rules: TP6, TP9–TP12. */
import type { JsonObject, JsonValue } from "../../../../contracts/json.ts";
import { parseJson } from "./json-text.ts";
import type { ToolNames } from "./tool-names.ts";

/** A call as a model wrote it in text. `args` may be any JSON value; only an object can run in the end. */
export interface TextCall {
  readonly name: string;
  readonly args: JsonValue;
  /** The id the model gave it, trimmed and never blank. */
  readonly id?: string;
}

export function callsOfValue(value: JsonValue, names: ToolNames): readonly TextCall[] {
  if (isObject(value) && Array.isArray(value["tool_calls"])) {
    const calls = callsOfItems(value["tool_calls"], names);
    if (calls.length > 0) return calls;
  }
  return callsOfItems(Array.isArray(value) ? value : [value], names);
}

/** The calls of all values, in order. */
export const callsOfValues = (values: readonly JsonValue[], names: ToolNames): readonly TextCall[] =>
  values.flatMap((value) => callsOfValue(value, names));

function callsOfItems(items: readonly JsonValue[], names: ToolNames): readonly TextCall[] {
  return items.flatMap((item) => (isObject(item) ? callOfObject(item, names) : []));
}

function callOfObject(root: JsonObject, names: ToolNames): readonly TextCall[] {
  const inner = root["function"];
  const named = isObject(inner) && isText(inner["name"]) ? inner : root;
  const name = named["name"];
  if (!isText(name)) return [];
  const id = readId(named === root ? [root["id"]] : [named["id"], root["id"]], root);
  return [
    {
      name: names.resolve(name.trim()),
      args: readArguments(Object.hasOwn(named, "arguments") ? named["arguments"] : named["parameters"]),
      ...(id === undefined ? {} : { id }),
    },
  ];
}

/** The first key that is there decides, also when it holds no usable id. */
function readId(first: readonly (JsonValue | undefined)[], root: JsonObject): string | undefined {
  const id = [...first, root["tool_call_id"], root["call_id"]].find((value) => value !== undefined);
  return isText(id) ? id.trim() : undefined;
}

/** Absent, and text that is no JSON, mean no arguments at all. */
function readArguments(raw: JsonValue | undefined): JsonValue {
  if (raw === undefined) return {};
  return unwrapStrings(typeof raw === "string" ? (parseJson(raw) ?? {}) : raw);
}

/** Models encode objects and lists twice; any other string is a string. */
function unwrapStrings(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const inner = /^\s*[{[]/.test(value) ? parseJson(value) : undefined;
    return inner === undefined ? value : unwrapStrings(inner);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => unwrapStrings(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrapStrings(item)]));
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A string that is not blank. */
export const isText = (value: JsonValue | undefined): value is string =>
  typeof value === "string" && value.trim() !== "";
