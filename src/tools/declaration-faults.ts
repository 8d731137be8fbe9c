/** findDeclarationFaults: everything wrong with a tool declaration but its schemas, each with its key. Rules: TC1, TC2, CF2. */
import { z } from "zod";
import type { Fault } from "../contracts/json.ts";
import { once } from "./once.ts";
import { zodFaults } from "./schema/input-reader.ts";
import type { AnyToolDeclaration } from "./tool-declaration.ts";

const REAL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const DESCRIPTION_CHARS = 4_096;

const text = (): z.ZodString => z.string().refine((value) => value.isWellFormed(), "must be well-formed Unicode");
const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

const declarationSchema = once(() =>
  z.strictObject({
    name: z.string().regex(REAL_NAME, "must be a letter, then up to 127 letters, digits, `_`, `.` or `-`"),
    title: text().min(1).optional(),
    description: text().refine((value) => value.trim() !== "" && [...value].length <= DESCRIPTION_CHARS, {
      message: `must have 1–${DESCRIPTION_CHARS} characters, not all of them blank`,
    }),
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
  }),
);

export function findDeclarationFaults(declaration: AnyToolDeclaration): readonly Fault[] {
  const judged = declarationSchema().safeParse(declaration);
  return judged.success ? [] : zodFaults(judged.error);
}
