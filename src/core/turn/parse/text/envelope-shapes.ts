/** Envelope shapes: what a JSON value is, judged by its keys: call protocol of some kind, or data. Rules: TP59, TP60, TP63, TP70. */
import type { JsonObject, JsonValue } from "../../../../contracts/json.ts";
import { isObject, isText } from "./call-objects.ts";
import type { ToolNames } from "./tool-names.ts";

export type JsonEnvelopeKind =
  | "responses_function_call"
  | "tool_calls"
  | "tool_calls_alias"
  | "function_call"
  | "tool_result";

const hasArguments = (value: JsonObject): boolean =>
  Object.hasOwn(value, "arguments") || Object.hasOwn(value, "parameters");

/** The object that carries name and arguments: `function` when that is one. */
const callee = (value: JsonObject): JsonObject => (isObject(value["function"]) ? value["function"] : value);

function isCallShaped(value: JsonValue | undefined): boolean {
  return isObject(value) && isText(callee(value)["name"]) && hasArguments(callee(value));
}

function isLooseCall(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  if (isObject(value["function"])) return true;
  return hasArguments(value) && ["name", "id", "call_id", "tool_call_id"].some((key) => isText(value[key]));
}

function holdsItem(value: JsonValue | undefined, test: (item: JsonValue) => boolean): boolean {
  return Array.isArray(value) && value.some((item: JsonValue) => test(item));
}

function isToolResult(value: JsonObject): boolean {
  return isText(value["tool_call_id"]) && ["content", "result", "output"].some((key) => Object.hasOwn(value, key));
}

const isFunctionCallItem = (value: JsonObject): boolean => value["type"] === "function_call";

const KINDS: readonly (readonly [JsonEnvelopeKind, (value: JsonObject) => boolean])[] = [
  [
    "responses_function_call",
    (value) => isFunctionCallItem(value) && isText(value["name"]) && (hasArguments(value) || isText(value["call_id"])),
  ],
  ["tool_calls", (value) => holdsItem(value["tool_calls"], isCallShaped)],
  ["tool_calls_alias", (value) => holdsItem(value["toolcalls"], isCallShaped)],
  ["function_call", (value) => isCallShaped(value["function_call"])],
  ["tool_result", isToolResult],
];

export function kindOfJson(value: JsonValue | undefined): JsonEnvelopeKind | undefined {
  return isObject(value) ? KINDS.find(([, fits]) => fits(value))?.[0] : undefined;
}

/** Weaker signs than a kind. */
export function hasLooseSignal(value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false;
  if (holdsItem(value["tool_calls"], isLooseCall) || holdsItem(value["toolcalls"], isLooseCall)) return true;
  if (isLooseCall(value["function_call"]) || isToolResult(value)) return true;
  return isFunctionCallItem(value) && (isText(value["name"]) || isText(value["call_id"]) || hasArguments(value));
}

/** Whether a known name stands where a call would have its name. */
export function jsonMentions(value: JsonValue | undefined, names: ToolNames): boolean {
  if (Array.isArray(value)) return value.some((item: JsonValue) => jsonMentions(item, names));
  if (!isObject(value)) return false;
  const holders = [value, value["function"], value["function_call"]];
  if (holders.some((holder) => isObject(holder) && isKnownName(holder["name"], names))) return true;
  return [value["tool_calls"], value["toolcalls"]].some((list) => Array.isArray(list) && jsonMentions(list, names));
}

const isKnownName = (name: JsonValue | undefined, names: ToolNames): boolean =>
  isText(name) && names.isKnown(name.trim());
