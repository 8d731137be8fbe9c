/** Templates: text with places for arguments, and in headers for secrets; parsed once, filled as data, never run. Rules: TC20. */
import { type JsonValue, isObject } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";

/** Names of members from the outside in. */
export type ArgumentPath = readonly string[];
export type TemplatePart = string | { readonly argument: ArgumentPath } | { readonly secret: string };
export type Template = readonly TemplatePart[];

const TOKEN = /\{\{|\}\}|\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}|\{([^{}\s/?#]+)\}|[{}]/g;

/** `{path.to.argument}`, `${secret:NAME}`, and `{{` and `}}` for the braces themselves. Fails with what is wrong. */
export function parseTemplate(text: string): Result<Template, string> {
  const parts: TemplatePart[] = [];
  let kept = 0;
  for (const { 0: token, 1: secret, 2: name, index } of text.matchAll(TOKEN)) {
    parts.push(text.slice(kept, index));
    kept = index + token.length;
    if (secret !== undefined) parts.push({ secret });
    else if (name !== undefined) parts.push({ argument: name.split(".") });
    else if (token.length === 2) parts.push(token.slice(1));
    else return failWith("a brace that stands for itself is written twice: {{ or }}");
  }
  const whole = [...parts, text.slice(kept)].filter((part) => part !== "");
  return argumentsOf(whole).every((path) => path.every((step) => step !== ""))
    ? succeed(whole)
    : failWith("an argument is named {name} or {name.of.member}");
}

export const argumentsOf = (template: Template): readonly ArgumentPath[] =>
  template.flatMap((part) => (typeof part === "object" && "argument" in part ? [part.argument] : []));

export const secretsOf = (template: Template): readonly string[] =>
  template.flatMap((part) => (typeof part === "object" && "secret" in part ? [part.secret] : []));

/** The path of a template that is one argument and nothing else. */
export function onlyArgument(template: Template): ArgumentPath | undefined {
  const [path] = argumentsOf(template);
  return template.length === 1 ? path : undefined;
}

/** An own member, however it is named; of a list, an item by its number. */
export function valueAt(value: JsonValue | undefined, path: ArgumentPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, step) => memberOf(inner, step), value);
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? (value[Number(name)] as JsonValue | undefined) : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text stands as it is, anything else as compact JSON; null says as little as nothing. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What stands in the place of an argument or a secret; `undefined` where there is nothing. */
export type FillPart = (part: Exclude<TemplatePart, string>) => string | undefined;

/** `undefined` when one of its places has nothing to hold. */
export function fillTemplate(template: Template, fill: FillPart): string | undefined {
  const texts = template.map((part) => (typeof part === "string" ? part : fill(part)));
  return texts.includes(undefined) ? undefined : texts.join("");
}

/** For templates without secrets. */
export const fillFrom =
  (value: JsonValue): FillPart =>
  (part) =>
    "argument" in part ? textOf(valueAt(value, part.argument)) : undefined;
