/** findForeignFault: what a schema that came from outside may not be, whatever its check would make of it. Rules: SE89, HP14, MW6. */
import { type JsonSchema, isObject } from "../../contracts/json.ts";

const MOST_CHARS = 131_072;
const MOST_NODES = 2000;
const MOST_ENUM_VALUES = 500;

/** Words whose schemas judge the very value that their own schema judges. */
const IN_PLACE: readonly string[] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

export type ForeignFault = "too_large" | "too_many_nodes" | "too_many_values" | "reference" | "circular";

export function findForeignFault(schema: JsonSchema): ForeignFault | undefined {
  if (JSON.stringify(schema).length > MOST_CHARS) return "too_large";
  const nodes = nodesOf(schema);
  if (nodes.length > MOST_NODES) return "too_many_nodes";
  if (nodes.some((node) => Array.isArray(node["enum"]) && node["enum"].length > MOST_ENUM_VALUES)) {
    return "too_many_values";
  }
  const references = nodes.flatMap((node) => (typeof node["$ref"] === "string" ? [node["$ref"]] : []));
  if (references.some((reference) => resolve(schema, reference) === undefined)) return "reference";
  return isCircular(schema, nodes) ? "circular" : undefined;
}

type Node = { readonly [member: string]: unknown };

/** Whatever word they stand under: a reference may lead anywhere. */
function nodesOf(value: unknown): readonly Node[] {
  const found: Node[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && found.length <= MOST_NODES) {
    const next = open.pop();
    if (Array.isArray(next)) open.push(...(next as readonly unknown[]));
    if (!isObject(next)) continue;
    found.push(next);
    open.push(...Object.values(next));
  }
  return found;
}

/** Within the document only, and to something that is there. */
function resolve(schema: JsonSchema, reference: string): Node | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let at: unknown = schema;
  for (const step of reference.split("/").slice(1)) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!(isObject(at) || Array.isArray(at)) || !Object.hasOwn(at, name)) return undefined;
    at = (at as Node)[name];
  }
  return isObject(at) ? at : undefined;
}

/** Comes back to itself without a step into the data, so that a check of it would never end. Each is walked once. */
function isCircular(schema: JsonSchema, nodes: readonly Node[]): boolean {
  const states = new Map<Node, "open" | "sound">();
  const visit = (node: Node): boolean => {
    const state = states.get(node);
    if (state !== undefined) return state === "open";
    states.set(node, "open");
    const circular = inPlaceOf(schema, node).some(visit);
    states.set(node, "sound");
    return circular;
  };
  return nodes.some(visit);
}

function inPlaceOf(schema: JsonSchema, node: Node): readonly Node[] {
  const target = typeof node["$ref"] === "string" ? resolve(schema, node["$ref"]) : undefined;
  const below = IN_PLACE.flatMap((word): readonly unknown[] => {
    const value = node[word];
    if (Array.isArray(value)) return value;
    return isObject(value) && word === "dependentSchemas" ? Object.values(value) : [value];
  });
  return [target, ...below].filter(isObject);
}
