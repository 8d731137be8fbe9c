/** The headers of an HTTP tool: arguments that fit on one line, secrets that are read when the call runs. Rules: TC20, TC22. */
import type { JsonObject } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import { type HeaderRecord, isArgumentHeaderValue, isToolHeaderName } from "../request-headers.ts";
import type { TemplateReader } from "./read-templates.ts";
import { type Template, argumentsOf, fillTemplate, secretsOf, textOf, valueAt } from "./template.ts";

/** By lower-case name. */
export type HeaderPlan = ReadonlyMap<string, Template>;

export function readHeaderPlan(headers: ReadonlyMap<string, string>, reader: TemplateReader): HeaderPlan {
  const plan = new Map<string, Template>();
  for (const [written, text] of headers) {
    const path = `headers.${written}`;
    const name = written.toLowerCase();
    if (!isToolHeaderName(name)) reader.fault(path, "is a header that a tool cannot set");
    if (plan.has(name)) reader.fault(path, "is set twice");
    plan.set(name, reader.ofHeader(path, text));
  }
  return plan;
}

export const secretsOfHeaders = (plan: HeaderPlan): readonly string[] => [
  ...new Set([...plan.values()].flatMap(secretsOf)),
];

/** Fails with a sentence that names the argument, never its value. @throws {Error} when a secret is not bound. */
export function fillHeaders(
  plan: HeaderPlan,
  args: JsonObject,
  secret: ToolContext["secret"],
): Result<HeaderRecord, string> {
  const headers: [string, string][] = [];
  for (const [name, template] of plan) {
    for (const path of argumentsOf(template)) {
      const text = textOf(valueAt(args, path));
      if (text !== undefined && !isArgumentHeaderValue(text)) {
        return failWith(`the argument ${path.join(".")} cannot stand in a header`);
      }
    }
    const value = fillTemplate(template, (part) =>
      "secret" in part ? secret(part.secret) : textOf(valueAt(args, part.argument)),
    );
    if (value !== undefined) headers.push([name, value]);
  }
  return succeed(Object.fromEntries(headers));
}
