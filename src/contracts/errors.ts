/** Problems: every refusal the outside can see, one slug with one status. Rules: section 15 of `security.md`, SE72. */
import type { Fault, JsonValue } from "./json.ts";

/** Slug → HTTP status. The slug is the stable name; `type` on the wire is `/problems/<slug>`. */
export const problemStatus = {
  "invalid-request": 400,
  "invalid-json": 400,
  "invalid-cursor": 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  "method-not-allowed": 405,
  "not-acceptable": 406,
  "approval-decided": 409,
  "approval-void": 409,
  "turn-busy": 409,
  "turn-finished": 409,
  "turn-not-running": 409,
  "tool-result-conflict": 409,
  "resume-mismatch": 409,
  "approval-expired": 410,
  "cursor-expired": 410,
  "conversation-deleted": 410,
  "payload-too-large": 413,
  "uri-too-long": 414,
  "unsupported-media-type": 415,
  "range-not-satisfiable": 416,
  "idempotency-mismatch": 422,
  "egress-blocked": 422,
  "unknown-agent": 422,
  "quota-exceeded": 429,
  "headers-too-large": 431,
  internal: 500,
  "not-configured": 503,
  overloaded: 503,
  "conversation-full": 507,
} as const satisfies Record<string, number>;

export type ProblemSlug = keyof typeof problemStatus;

/** A refusal before it is rendered: what went wrong, in a fixed sentence, with paths where a field is to blame. */
export interface Problem {
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly errors?: readonly Fault[];
  /** Further members of the problem document, snake_case as on the wire (`reason`, `class`, …). */
  readonly members?: { readonly [member: string]: JsonValue };
  /** Of this one refusal, beside those of its slug; names in lower case. */
  readonly headers?: { readonly [name: string]: string };
}
