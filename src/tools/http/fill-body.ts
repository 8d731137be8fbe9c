/** The body of an HTTP tool: a JSON template in which a lone argument keeps its type. Rules: TC20, TC23. */
import { type JsonObject, type JsonValue, isObject } from "../../contracts/json.ts";
import type { TemplateReader } from "./read-templates.ts";
import { fillFrom, fillTemplate, onlyArgument, valueAt } from "./template.ts";

/** `undefined`: nothing stands here for these arguments. */
export type FillBody = (args: JsonObject) => JsonValue | undefined;

/** `"arguments"` stands for all of them as they are. */
export const readBodyPlan = (body: JsonValue, reader: TemplateReader): FillBody =>
  body === "arguments" ? (args) => args : compile(body, "body", reader);

function compile(value: JsonValue, path: string, reader: TemplateReader): FillBody {
  if (typeof value === "string") return compileText(value, path, reader);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue, at) => compile(item, `${path}[${at}]`, reader));
    return (args) => items.flatMap((fill) => present(fill(args)));
  }
  if (!isObject(value)) return () => value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, compile(member, `${path}.${name}`, reader)] as const,
  );
  return (args) =>
    Object.fromEntries(members.flatMap(([name, fill]) => present(fill(args)).map((filled) => [name, filled] as const)));
}

function compileText(text: string, path: string, reader: TemplateReader): FillBody {
  const template = reader.ofArguments(path, text);
  const only = onlyArgument(template);
  return only === undefined ? (args) => fillTemplate(template, fillFrom(args)) : (args) => valueAt(args, only);
}

const present = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value]);
