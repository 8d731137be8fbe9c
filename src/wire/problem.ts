/** Renders problems as RFC 9457 documents: a stable slug, a fixed sentence, the request's id. Rules: HP1, SE72. */
import { type Problem, problemStatus, type ProblemSlug } from "../contracts/errors.ts";
import type { Fault, JsonValue } from "../contracts/json.ts";
import type { JsonFault } from "./json-scan.ts";

const titles: Readonly<Record<ProblemSlug, string>> = {
  "invalid-request": "Invalid request",
  "invalid-json": "Invalid JSON",
  "invalid-cursor": "Invalid cursor",
  unauthenticated: "Not authenticated",
  forbidden: "Not allowed",
  "not-found": "Not found",
  "method-not-allowed": "Method not allowed",
  "not-acceptable": "Not acceptable",
  "approval-decided": "Approval decided",
  "approval-void": "Approval void",
  "turn-busy": "A turn is running",
  "turn-finished": "Turn finished",
  "turn-not-running": "Turn not running",
  "tool-result-conflict": "Tool results not taken",
  "resume-mismatch": "Nothing to resume",
  "approval-expired": "Approval expired",
  "cursor-expired": "Cursor expired",
  "conversation-deleted": "Conversation deleted",
  "payload-too-large": "Payload too large",
  "uri-too-long": "URI too long",
  "unsupported-media-type": "Unsupported media type",
  "range-not-satisfiable": "Range not satisfiable",
  "idempotency-mismatch": "Idempotency key used for another request",
  "egress-blocked": "Destination blocked",
  "unknown-agent": "Unknown agent",
  "quota-exceeded": "Quota exceeded",
  "headers-too-large": "Headers too large",
  internal: "Internal error",
  "not-configured": "Not configured",
  overloaded: "Temporarily unavailable",
  "conversation-full": "Conversation full",
};

/** Seconds; every 429 and 503 says when to come back. */
const retryAfterSecs: Partial<Readonly<Record<ProblemSlug, number>>> = {
  "quota-exceeded": 30,
  "not-configured": 60,
  overloaded: 1,
};

/** `instance` is made from the request's id alone, so that equal refusals of different paths have equal bodies but for it. */
export function encodeProblem(problem: Problem, requestId: string): Record<string, JsonValue> {
  return {
    ...problem.members,
    type: `/problems/${problem.slug}`,
    title: titles[problem.slug],
    status: problemStatus[problem.slug],
    detail: problem.detail,
    instance: `/requests/${requestId}`,
    request_id: requestId,
    ...(problem.errors === undefined ? {} : { errors: problem.errors.map(({ path, message }) => ({ path, message })) }),
  };
}

/** Headers that belong to a problem wherever it is answered. */
export function problemHeaders({ slug, headers }: Problem): Record<string, string> {
  const secs = retryAfterSecs[slug];
  return {
    ...(secs === undefined ? {} : { "retry-after": String(secs) }),
    ...headers,
    "content-type": "application/problem+json",
  };
}

export const notFound: Problem = { slug: "not-found", detail: "There is nothing at this address." };

export const invalidRequest = (errors: readonly Fault[]): Problem => ({
  slug: "invalid-request",
  detail: "The request does not have the shape that this route takes.",
  errors,
});

export const invalidJson = (reason: JsonFault): Problem => ({
  slug: "invalid-json",
  detail: "The body is not JSON that is accepted here.",
  members: { reason },
});
