/** Refuses credentials in URLs and cookies, where logs and caches would keep them; they are never echoed. Rules: SE3. */
import type { MiddlewareHandler } from "hono";
import type { Problem } from "../../contracts/errors.ts";
import type { EdgeEnv } from "../env.ts";
import { respondProblem } from "../problem-response.ts";

const credentialNames: ReadonlySet<string> = new Set([
  "api_key",
  "apikey",
  "api-key",
  "access_token",
  "auth",
  "authorization",
  "bearer",
  "jwt",
  "password",
  "secret",
  "ticket",
  "token",
]);

/** An API key, a conversation token, a JWT: whatever the parameter that holds it is called. */
const credentialShape =
  /(?<![A-Za-z0-9_-])(?:ck_(?:live|test|dev)_|ct_[A-Za-z0-9_-]{16,}\.|eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.)/;

export const refuseMisplacedCredentials: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  const url = new URL(context.req.url);
  const pairs = Array.from(url.searchParams);
  const places = [decodeLoosely(url.pathname), context.req.header("cookie") ?? "", ...pairs.flat()];
  const misplaced =
    pairs.some(([name]) => credentialNames.has(name.toLowerCase())) ||
    places.some((text) => credentialShape.test(text));
  return misplaced ? respondProblem(context, credentialMisplaced) : await next();
};

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const credentialMisplaced: Problem = {
  slug: "invalid-request",
  detail: "Credentials are taken in the Authorization header only.",
};
