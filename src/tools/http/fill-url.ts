/** The URL of an HTTP tool: each argument is one encoded piece of it, and can neither end its segment nor climb out. Rules: TC20, TC21. */
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import type { TemplateReader } from "./read-templates.ts";
import { type Template, argumentsOf, fillFrom, fillTemplate, onlyArgument, textOf, valueAt } from "./template.ts";

export interface UrlPlan {
  /** Scheme, host and port as they are written. */
  readonly origin: string;
  readonly segments: readonly Template[];
  readonly query: readonly QueryEntry[];
}
interface QueryEntry {
  /** Name and `=`, as they are sent. */
  readonly before: string;
  readonly value: Template;
}

const PARTS = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** Entries of the template's own query come first. A fragment is never sent. */
export function readUrlPlan(url: string, query: ReadonlyMap<string, string>, reader: TemplateReader): UrlPlan {
  const [, origin = "", path = "", written = ""] = PARTS.exec(url) ?? [];
  const own = written === "" ? [] : written.split("&").map((entry) => readEntry(entry, reader));
  const added = Array.from(query, ([name, text]): QueryEntry => {
    const value = reader.ofArguments(`query.${name}`, text);
    return { before: `${encode(name)}=`, value: value.map((part) => (typeof part === "string" ? encode(part) : part)) };
  });
  const segments = path.split("/").map((segment) => reader.ofArguments("url", segment));
  return { origin, segments, query: [...own, ...added] };
}

function readEntry(entry: string, reader: TemplateReader): QueryEntry {
  const before = /^[^={}]*=/.exec(entry)?.[0] ?? "";
  return { before, value: reader.ofArguments("url", entry.slice(before.length)) };
}

/** Fails with a sentence that names the argument. */
export function fillUrl({ origin, segments, query }: UrlPlan, args: JsonObject): Result<string, string> {
  const filled: string[] = [];
  for (const segment of segments) {
    const text = fillSegment(segment, args);
    if (!text.ok) return text;
    filled.push(text.value);
  }
  const entries = query.flatMap((entry) => fillEntry(entry, args));
  return succeed(`${origin}${filled.join("/")}${entries.length === 0 ? "" : `?${entries.join("&")}`}`);
}

function fillSegment(segment: Template, args: JsonObject): Result<string, string> {
  const paths = argumentsOf(segment);
  for (const path of paths) {
    const value = valueAt(args, path);
    if (value === undefined || value === null) return failWith(`the argument ${path.join(".")} is missing`);
    if (typeof value === "object") {
      return failWith(`the argument ${path.join(".")} must be a text, a number, or true or false`);
    }
  }
  const text = fillTemplate(segment, encoding(args)) ?? "";
  // A parser reads `%2e` as a dot, whoever wrote it.
  if (paths.length > 0 && /^(?:|\.|\.\.)$/.test(text.replace(/%2e/gi, "."))) {
    return failWith(`the argument ${(paths[0] ?? []).join(".")} makes no part of a path`);
  }
  return succeed(text);
}

/** None when an argument in it is absent; one for each item of a list. */
function fillEntry({ before, value }: QueryEntry, args: JsonObject): readonly string[] {
  const only = onlyArgument(value);
  const list = only === undefined ? undefined : valueAt(args, only);
  if (Array.isArray(list)) {
    return list.flatMap((item: JsonValue) => {
      const text = textOf(item);
      return text === undefined ? [] : [`${before}${encode(text)}`];
    });
  }
  const text = fillTemplate(value, encoding(args));
  return text === undefined ? [] : [`${before}${text}`];
}

const encoding = (args: JsonObject) => {
  const fill = fillFrom(args);
  return (part: Parameters<typeof fill>[0]) => {
    const text = fill(part);
    return text === undefined ? undefined : encode(text);
  };
};

/** Nothing is left as it is but the unreserved characters (RFC 3986, section 2.3). */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
