/** Refuses oversized addresses and header blocks before anything else looks at them. Rules: SE59. */
import type { MiddlewareHandler } from "hono";
import type { Problem } from "../../contracts/errors.ts";
import type { EdgeEnv } from "../env.ts";
import { respondProblem } from "../problem-response.ts";

/** Bytes: a parsed URL and header values are ASCII or Latin-1, one byte a character. */
const maxUrlBytes = 8 * 1024;
const maxHeaderBytes = 32 * 1024;
/** The colon, the space, the line end. */
const lineOverhead = 4;

export const limitSizes: MiddlewareHandler<EdgeEnv> = async (context, next) => {
  if (context.req.url.length > maxUrlBytes) return respondProblem(context, uriTooLong);
  let headerBytes = 0;
  for (const [name, value] of context.req.raw.headers) headerBytes += name.length + value.length + lineOverhead;
  if (headerBytes > maxHeaderBytes) return respondProblem(context, headersTooLarge);
  return await next();
};

const uriTooLong: Problem = { slug: "uri-too-long", detail: "The URL is longer than 8 KiB." };
const headersTooLarge: Problem = { slug: "headers-too-large", detail: "The headers are larger than 32 KiB." };
