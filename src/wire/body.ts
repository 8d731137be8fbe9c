/** A body against its schema: what it means, or every field that is to blame. Rules: SE72. */
import type { z } from "zod";
import type { Problem } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { describeIssue } from "./describe-issue.ts";
import { collectFaults } from "./faults.ts";
import { invalidRequest } from "./problem.ts";

/** Decoders take JSON that is already scanned and well-formed. */
export type DecodeBody<Body> = (value: JsonValue) => Result<Body, Problem>;

export function parseBody<Body>(schema: z.ZodType<Body>, value: JsonValue): Result<Body, Problem> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  return parsed.success ? succeed(parsed.data) : failWith(invalidRequest(collectFaults(parsed.error.issues)));
}
