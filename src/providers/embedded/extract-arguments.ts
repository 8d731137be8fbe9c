/** Fills a tool's arguments from the words of a clause, property by property of the tool's schema. Rules: SE88. */
import { type JsonObject, type JsonSchema, type JsonValue, isObject } from "../../contracts/json.ts";
import { foldText, quotationsOf } from "./clauses.ts";

export interface ExtractedArguments {
  readonly args: JsonObject;
  /** Required properties that the text says nothing about. */
  readonly missing: readonly string[];
}

/** What is still unused of a clause; each value goes to one property. */
interface Material {
  readonly text: string;
  readonly quotations: string[];
  readonly urls: string[];
  readonly numbers: number[];
}

const URL_TEXT = /https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)]/g;
const NUMBER_TEXT = /(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-])/g;
const LEADING_WORDS =
  /^(?:[\s,:]|\b(?:to|for|about|of|with|on|in|the|that|a|an|and|please|tool|para|sobre|de|con|el|la|que|y|por favor|herramienta)\b)+/i;
const DEEPEST = 3;

/** `rest`: the clause without the words that named the tool, for texts that nothing else points to. */
export function extractArguments(clause: string, rest: string, schema: JsonSchema): ExtractedArguments {
  const urls = clause.match(URL_TEXT) ?? [];
  const withoutUrls = clause.replaceAll(URL_TEXT, " ");
  const material: Material = {
    text: clause,
    quotations: [...quotationsOf(clause)],
    urls: [...urls],
    numbers: (withoutUrls.match(NUMBER_TEXT) ?? []).map(Number),
  };
  const found = fillObject(material, schema, DEEPEST);
  const open = found.missing.find((name) => isText(propertiesOf(schema).get(name)));
  const remainder = rest.replace(LEADING_WORDS, "").trim();
  if (open === undefined || remainder === "") return found;
  return { args: { ...found.args, [open]: remainder }, missing: found.missing.filter((name) => name !== open) };
}

function fillObject(material: Material, schema: JsonSchema, depth: number): ExtractedArguments {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = propertiesOf(schema);
  const filled = Array.from(properties, ([name, property]): [string, JsonValue | undefined] => [
    name,
    readProperty(material, { name, property, required: required.has(name), depth }),
  ]);
  const args = filled.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const has = new Set(args.map(([name]) => name));
  return {
    args: Object.fromEntries(args),
    missing: [...properties.keys()].filter((name) => required.has(name) && !has.has(name)),
  };
}

function propertiesOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const properties = schema["properties"];
  if (!isObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, property]) => (isObject(property) ? [[name, property]] : [])),
  );
}

interface Wanted {
  readonly name: string;
  readonly property: JsonSchema;
  readonly required: boolean;
  readonly depth: number;
}

function readProperty(material: Material, wanted: Wanted): JsonValue | undefined {
  const { name, property, required, depth } = wanted;
  const choices = Array.isArray(property["enum"]) ? property["enum"] : undefined;
  if (choices !== undefined)
    return choices.find((choice) => typeof choice === "string" && hasWord(material.text, choice));
  const type = typeOf(property);
  if (type === "string") return readText(material, wanted);
  if (type === "number" || type === "integer") return readNumber(material, wanted);
  if (type === "boolean" && hasWord(material.text, name)) return !hasWord(material.text, `no ${spaced(name)}`);
  if (type === "array" && required && isText(property["items"])) return readList(material);
  if (type === "object" && required && depth > 0) return fillObject(material, property, depth - 1).args;
  return undefined;
}

function readText(material: Material, { name, property, required }: Wanted): string | undefined {
  const named = namedValue(material.text, name);
  if (named !== undefined) return named;
  if (property["format"] === "uri" || /(?:^|_)(?:url|uri|link)$/i.test(name)) return material.urls.shift();
  if (property["format"] === "email" || /email$/i.test(name))
    return /[\w.+-]+@[\w-]+\.[\w.-]*\w/.exec(material.text)?.[0];
  if (property["format"] === "date") return /\b\d{4}-\d{2}-\d{2}\b/.exec(material.text)?.[0];
  return required ? material.quotations.shift() : undefined;
}

/** `name: value`, `name = value`, `name "value"`, or `name value` where the value has a digit, as ids do. */
function namedValue(text: string, name: string): string | undefined {
  const label = String.raw`(?<![\p{L}\p{N}])${escapePattern(spaced(name)).replaceAll(" ", "[ _-]?")}`;
  const quoted = new RegExp(String.raw`${label}\s*[:=]?\s*["“«']([^"”»'\n]+)["”»']`, "iu").exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  const marked = new RegExp(String.raw`${label}\s*[:=]\s*([^\s,;]+)`, "iu").exec(text)?.[1];
  return (
    marked ?? new RegExp(String.raw`${label}\s+(?:number |numero |número |#)?([\w-]*\d[\w-]*)`, "iu").exec(text)?.[1]
  );
}

function readNumber(material: Material, { name, property, required }: Wanted): number | undefined {
  const named = Number(namedValue(material.text, name) ?? Number.NaN);
  const accepts = (value: number): boolean =>
    Number.isFinite(value) && (typeOf(property) !== "integer" || Number.isSafeInteger(value));
  if (accepts(named)) return named;
  const place = material.numbers.findIndex(accepts);
  return !required || place < 0 ? undefined : material.numbers.splice(place, 1)[0];
}

function readList({ text, quotations }: Material): readonly string[] {
  if (quotations.length > 0) return quotations.splice(0);
  const listed = text.includes(":") ? text.slice(text.indexOf(":") + 1) : "";
  return listed
    .split(/,|\band\b|\sy\s/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

export function hasWord(text: string, word: string): boolean {
  const pattern = escapePattern(foldText(spaced(word))).replaceAll(" ", String.raw`[\s_-]+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])`, "u").test(foldText(text));
}

/** `orderId`, `order_id`, `order-id` → `order id`. */
const spaced = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\s-]+/g, " ")
    .trim();
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

const typeOf = ({ type }: JsonSchema): JsonValue | undefined => {
  const [first] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  return first;
};
const isText = (schema: JsonValue | undefined): boolean =>
  isObject(schema) && typeOf(schema) === "string" && schema["enum"] === undefined;
