/** HTTP tools: a request that the config file describes, sent through the guard and read as it says. Rules: TC20–TC25. */
import type { HttpToolDeclaration } from "../../contracts/config/tools.ts";
import type { Fault, JsonObject } from "../../contracts/json.ts";
import type { ToolContext, ToolFetchInit, ToolResult } from "../../contracts/tool.ts";
import type { DefinedTool } from "../create-tool.ts";
import { createDeclaredTool } from "../declared-tool.ts";
import { fail } from "../tool-result.ts";
import { type FillBody, readBodyPlan } from "./fill-body.ts";
import { type HeaderPlan, fillHeaders, readHeaderPlan, secretsOfHeaders } from "./fill-headers.ts";
import { type UrlPlan, fillUrl, readUrlPlan } from "./fill-url.ts";
import { type AnswerPlan, readAnswer, readAnswerPlan } from "./read-answer.ts";
import { TemplateReader } from "./read-templates.ts";

export interface HttpTool {
  readonly tool: DefinedTool;
  /** What is wrong with its templates and headers, each under its key of the entry. */
  readonly faults: readonly Fault[];
}

interface RequestPlan {
  readonly method: HttpToolDeclaration["method"];
  readonly url: UrlPlan;
  readonly headers: HeaderPlan;
  readonly body: FillBody;
  readonly answer: AnswerPlan;
  readonly maxBytes: number;
}

/** `clean` takes the product's own secrets out of a text. */
export function createHttpTool(declared: HttpToolDeclaration, clean: (text: string) => string): HttpTool {
  const reader = new TemplateReader(declared.inputSchema);
  const plan: RequestPlan = {
    method: declared.method,
    url: readUrlPlan(declared.url, declared.query, reader),
    headers: readHeaderPlan(declared.headers, reader),
    body: readBodyPlan(declared.body, reader),
    answer: readAnswerPlan(declared, reader),
    maxBytes: declared.response.maxBytes,
  };
  const secrets = [...new Set([...(declared.secrets ?? []), ...secretsOfHeaders(plan.headers)])];
  const tool = createDeclaredTool(
    { ...harmlessGet(declared.method), ...given(declared), secrets },
    "http",
    (args, context) => send(plan, args, { context, clean }),
  );
  return { tool, faults: reader.faults };
}

/** What is true of a GET unless the entry says otherwise. */
const harmlessGet = (
  method: HttpToolDeclaration["method"],
): Pick<HttpToolDeclaration, "readOnly" | "idempotent" | "risk"> =>
  method === "GET" ? { readOnly: true, idempotent: true, risk: "low" } : {};

/** Without keys that the entry leaves open. */
const given = (declared: HttpToolDeclaration): HttpToolDeclaration =>
  Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined)) as HttpToolDeclaration;

async function send(
  plan: RequestPlan,
  args: JsonObject,
  { context, clean }: { readonly context: ToolContext; readonly clean: (text: string) => string },
): Promise<ToolResult> {
  const url = fillUrl(plan.url, args);
  if (!url.ok) return fail(url.failure);
  const headers = fillHeaders(plan.headers, args, (name) => context.secret(name));
  if (!headers.ok) return fail(headers.failure);
  const body = plan.body(args);
  const hasBody = body !== undefined && body !== null;
  const init: ToolFetchInit = {
    method: plan.method,
    headers: {
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...headers.value,
      ...(context.idempotencyKey === undefined ? {} : { "idempotency-key": context.idempotencyKey }),
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    maxBytes: plan.maxBytes,
    configuredHeaders: new Set(plan.headers.keys()),
  };
  return readAnswer(await context.fetch(url.value, init), plan.answer, clean);
}
