/** Says in one line for a person why a request came to nothing: a problem document, what stands in its place, a lost connection. Rules: HP1. */
import { z } from "zod";
import { makePrintable, shorten } from "./terminal-text.ts";

const detailChars = 300;
const mostErrors = 8;

const problemSchema = z.object({
  type: z.string(),
  detail: z.string(),
  request_id: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

export interface RefusedRequest {
  /** Last segment of the problem's type; absent when the answer was no problem document. */
  readonly slug: string | undefined;
  readonly line: string;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function describeProblem(status: number, body: string): RefusedRequest {
  const parsed = problemSchema.safeParse(parseJson(body));
  if (!parsed.success) return { slug: undefined, line: `HTTP ${status}: ${shorten(body, detailChars) || "no reason"}` };
  const { type, detail, errors, request_id: requestId } = parsed.data;
  const slug = makePrintable(type.slice(type.lastIndexOf("/") + 1));
  const faults = errors.slice(0, mostErrors).map(({ path, message }) => `${path || "body"}: ${message}`);
  const unnamed = errors.length > mostErrors ? [`and ${errors.length - mostErrors} more`] : [];
  const parts = [`${slug} (${status}): ${detail}`, ...faults, ...unnamed].map((part) => shorten(part, detailChars));
  return { slug, line: parts.join("; ") + (requestId === undefined ? "" : ` [request ${shorten(requestId, 80)}]`) };
}

/** undici says "terminated" or "fetch failed"; what there is to know is in the cause. */
export function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause instanceof Error ? fault.cause.message : fault.message;
}
