/** findDeclarationFaults: everything wrong with a tool declaration but its schemas, each with its key. Rules: TC1, TC2, CF2. */
import { z } from "zod";
import { toolDescription, toolName } from "../contracts/config/fields.ts";
import { type Fault, isObject } from "../contracts/json.ts";
import { once } from "./once.ts";
import { zodFaults } from "./schema/input-reader.ts";
import type { ToolOrigin } from "../contracts/tool.ts";
import type { AnyToolDeclaration } from "./tool-declaration.ts";

const text = (): z.ZodString => z.string().refine((value) => value.isWellFormed(), "must be well-formed Unicode");
const isFunction = (value: unknown): boolean => typeof value === "function";

const declarationSchema = once(() =>
  z.strictObject(
    {
      name: toolName,
      title: text().min(1).optional(),
      description: text().pipe(toolDescription),
      input: z.custom(isObject, "must be a zod object or a JSON Schema"),
      output: z.custom(isObject, "must be a zod type or a JSON Schema").optional(),
      execute: z.custom(isFunction, "must be a function"),
      needsApproval: z.union([z.literal(true), z.custom(isFunction)], "must be true or a function").optional(),
      risk: z.enum(["low", "medium", "high"]).optional(),
      readOnly: z.boolean().optional(),
      idempotent: z.boolean().optional(),
      timeoutSecs: z.int().min(1).max(600).optional(),
      repeatGuard: z.boolean().optional(),
      reEntrant: z.boolean().optional(),
      approvalMarker: z.boolean().optional(),
      provenance: z.enum(["native", "extension"]).optional(),
      secrets: z.array(z.string().min(1)).optional(),
    },
    { error: ({ code }) => (code === "invalid_type" ? "must be an object" : undefined) },
  ),
);

const FOREIGN: ReadonlySet<ToolOrigin> = new Set(["client", "mcp"]);
const foreignSchema = once(() => declarationSchema().extend({ name: text().min(1).max(128) }));

/** A name that came over the wire was judged there, by the rule of whoever sent it (VW5, MC6). */
export function findDeclarationFaults(declaration: AnyToolDeclaration, origin: ToolOrigin): readonly Fault[] {
  const judged = (FOREIGN.has(origin) ? foreignSchema : declarationSchema)().safeParse(declaration);
  return judged.success ? [] : zodFaults(judged.error);
}
