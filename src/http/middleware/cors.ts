/** Lets pages of listed origins call and read; any other page gets the same answers unreadable. Rules: SE51, SS14. */
import type { MiddlewareHandler } from "hono";
import type { Dependencies } from "../dependencies.ts";
import type { EdgeEnv } from "../env.ts";

const allowedMethods = ["GET", "POST", "DELETE"];

/** What an `openai` client in a browser adds of its own. */
const clientFacts = [
  "lang",
  "package-version",
  "os",
  "arch",
  "runtime",
  "runtime-version",
  "retry-count",
  "timeout",
  "helper-method",
];
const allowedHeaders = [
  "authorization",
  "content-type",
  "accept",
  "cache-control",
  "prefer",
  "range",
  "idempotency-key",
  "last-event-id",
  "traceparent",
  "x-countersign-conversation",
  ...clientFacts.map((fact) => `x-stainless-${fact}`),
];
const exposedHeaders = [
  "x-request-id",
  "x-countersign-conversation",
  "x-countersign-turn",
  "location",
  "retry-after",
  "ratelimit",
  "ratelimit-policy",
  "content-range",
  "x-countersign-ignored",
];
const preflightSecs = 600;

/** Before authentication, since a preflight brings no key; around every check, since a page must read refusals too. */
export function cors({ config }: Dependencies): MiddlewareHandler<EdgeEnv> {
  return async (context, next) => {
    const origin = context.req.header("origin");
    const preflight = isPreflight(context.req.raw);
    if (preflight) context.res = new Response(null, { status: 204 });
    else await next();
    const { headers } = context.res;
    // Also where no origin was sent: a cache must not give that answer to a page.
    headers.append("vary", "Origin");
    if (origin === undefined || !config().corsOrigins.includes(origin)) return;
    headers.set("access-control-allow-origin", origin);
    if (preflight) allowCall(headers);
    else headers.set("access-control-expose-headers", exposedHeaders.join(", "));
  };
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

function allowCall(headers: Headers): void {
  headers.set("access-control-allow-methods", allowedMethods.join(", "));
  headers.set("access-control-allow-headers", allowedHeaders.join(", "));
  headers.set("access-control-max-age", String(preflightSecs));
}
