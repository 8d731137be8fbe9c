/** Schemas of `tools[]`, `tool_bundles.<name>` and `tool_hooks[]`. Rules: CF2, TC1, TC2, TC20, RG3. */
import { z } from "zod";
import type { Fault } from "../json.ts";
import type { Tool } from "../tool.ts";
import {
  bindingName,
  filledText,
  headers,
  listOf,
  objectSchema,
  patterns,
  section,
  text,
  toolDescription,
  toolName,
  userMap,
  whole,
} from "./fields.ts";
import { type ToolHook, toolHookPoints } from "./tool-hook.ts";

/** A `defineTool` value; `faults` says what was wrong with its definition. */
export interface CodeTool extends Tool {
  readonly faults?: readonly Fault[];
}

/** Told from a declarative entry by its parts, since it may come from any copy of the package. */
export function isCodeTool(value: unknown): value is CodeTool {
  return (
    typeof value === "object" &&
    value !== null &&
    "definition" in value &&
    typeof value.definition === "object" &&
    value.definition !== null &&
    "execute" in value &&
    typeof value.execute === "function"
  );
}

function isToolHook(value: unknown): value is ToolHook {
  return (
    typeof value === "object" &&
    value !== null &&
    "on" in value &&
    toolHookPoints.some((point) => point === value.on) &&
    "run" in value &&
    typeof value.run === "function"
  );
}

/** What an entry may say of a tool; absent ones take the default of its kind. */
export const toolFlags = {
  risk: z.enum(["low", "medium", "high"]).optional().describe("Shown to whoever approves; medium by default."),
  read_only: z.boolean().optional().describe("It changes nothing."),
  idempotent: z.boolean().optional().describe("Recovery may run it again under the same key."),
  needs_approval: z.literal(true).optional().describe("It always needs an approval."),
  tool_timeout_secs: whole(1, 600).optional().describe("Time for one call; the runtime profile's by default."),
  repeat_guard: z.boolean().optional().describe("A repeated call in a turn is stopped; true for high risk."),
  re_entrant: z.boolean().optional().describe("It starts turns of its own."),
  approval_marker: z.boolean().optional().describe("It is told that its call was approved."),
  provenance: z
    .enum(["native", "extension"])
    .optional()
    .describe("Whose code runs; always extension for declared tools."),
  secrets: listOf(bindingName).optional().describe("Names of secrets it may read."),
};

const declaration = {
  name: toolName.describe("Its name, unique among configured tools."),
  title: filledText.optional().describe("A name for people."),
  description: toolDescription.describe("What the model reads about it."),
  input_schema: objectSchema.describe("JSON Schema of its arguments."),
  output_schema: objectSchema.optional().describe("JSON Schema of its data."),
  ...toolFlags,
};

const successStatus = z.union([
  whole(100, 599),
  z.string().regex(/^[1-5]xx$/, { error: 'must be a status or a form such as "2xx"' }),
]);
const selectPath = z.string().regex(/^\$(?:\.[A-Za-z_][A-Za-z0-9_-]*|\["[^"\\]*"\]|\[\d+\])*$/, {
  error: 'a path is $ with .name, ["name"] and [n] after it',
});

const responseSchema = section({
  select: selectPath.nullable().default(null).describe("Path into a JSON answer."),
  text: text.nullable().default(null).describe("Template over what was selected."),
  ok: listOf(successStatus).default(["2xx"]).describe("Statuses that are a success."),
  max_bytes: whole(1).default(1_048_576).describe("Size of an answer; at most `egress.max_fetch_bytes`."),
});

const httpToolSchema = section({
  kind: z.literal("http").describe("An HTTP request, declared without code."),
  ...declaration,
  method: z
    .enum(["GET", "POST", "PUT", "PATCH", "DELETE"])
    .default("GET")
    .describe("Method; GET also means read-only, idempotent, low risk."),
  url: z
    .string()
    .regex(/^https?:\/\/[^\s{}/?#]+(?:[/?#]\S*)?$/i, {
      error: "must be a URL template whose scheme, host and port are literal",
    })
    .describe("Template of the URL."),
  query: userMap(filledText, text).prefault({}).describe("Templates by name."),
  headers: headers.prefault({}).describe("Templates by name; may hold ${secret:NAME}."),
  body: z.json().default(null).describe('null, "arguments", or a JSON template.'),
  response: responseSchema.prefault({}).describe("How the answer is read."),
}).superRefine((tool, context) => {
  if (tool.body !== null && (tool.method === "GET" || tool.method === "DELETE")) {
    context.addIssue({ code: "custom", path: ["body"], message: "only POST, PUT and PATCH have a body" });
  }
});

const serviceToolSchema = section({
  kind: z.literal("service").describe("A call of another Worker."),
  ...declaration,
  binding: bindingName.describe("Name of the service binding."),
  path: z
    .string()
    .regex(/^\/\S*$/, { error: "must begin with /" })
    .optional()
    .describe("Path; /tools/<name> by default."),
});

const clientToolSchema = section({
  kind: z.literal("client").describe("A tool that the caller's app runs."),
  ...declaration,
});

const declaredToolSchema = z.discriminatedUnion("kind", [httpToolSchema, serviceToolSchema, clientToolSchema]);

export const toolSchema = z.union([
  z.custom<CodeTool>(isCodeTool, { error: "must be a defineTool value or an entry with a `kind`" }),
  declaredToolSchema,
]);

export const toolBundleSchema = section({
  tools: patterns.describe("Configured tools of the bundle."),
  exclude: patterns.default([]).describe("Tools that are out, whichever bundle names them."),
});

export const toolHookSchema = z.custom<ToolHook>(isToolHook, { error: "must be a defineHook value" });

export type DeclaredTool = z.output<typeof declaredToolSchema>;
export type HttpToolDeclaration = Extract<DeclaredTool, { kind: "http" }>;
export type ConfiguredTool = CodeTool | DeclaredTool;
export type ToolBundle = z.output<typeof toolBundleSchema>;
