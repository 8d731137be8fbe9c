/** Gives every request an id and every response the headers that all of them carry. Rules: SE73. */
import type { MiddlewareHandler } from "hono";
import type { EdgeEnv } from "../env.ts";
import { mintId } from "../random-id.ts";

/** What may be logged and echoed as it came. */
const saneId = /^[A-Za-z0-9._-]{1,128}$/;

export const assignRequestId: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  const given = context.req.header("x-request-id");
  const requestId = given !== undefined && saneId.test(given) ? given : mintId("req_");
  context.set("requestId", requestId);
  await next();
  const { headers } = context.res;
  headers.set("x-request-id", requestId);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
};
