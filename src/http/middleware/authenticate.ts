/** Tells who asks, from `Authorization: Bearer` alone; every failure gives the same answer. Rules: SE3–SE5, HP8. */
import type { MiddlewareHandler } from "hono";
import type { Problem } from "../../contracts/errors.ts";
import type { Principal } from "../../contracts/turn.ts";
import { digestText } from "../../receipts/digest.ts";
import type { Dependencies } from "../dependencies.ts";
import type { EdgeEnv } from "../env.ts";
import { respondProblem } from "../problem-response.ts";
import { scopes } from "../scopes.ts";
import { developmentKey } from "./require-configured.ts";

const developer: Principal = { tenant: "dev", subject: "key:dev", channel: "http", scopes };

export function authenticate({ config, log }: Dependencies): MiddlewareHandler<EdgeEnv> {
  return async (context, next) => {
    const header = context.req.header("authorization");
    const token = header === undefined ? undefined : readBearer(header);
    const key = developmentKey(config(), context.env);
    if (token !== undefined && key !== undefined && equalInConstantTime(token, key)) {
      context.set("principal", developer);
      return await next();
    }
    log("warn", "authentication_failed", {
      reason: header === undefined ? "missing" : token === undefined ? "malformed" : "unknown_key",
      request_id: context.get("requestId"),
    });
    const response = respondProblem(context, unauthenticated);
    response.headers.set("www-authenticate", "Bearer");
    return response;
  };
}

/** Two headers arrive joined by a comma and a space, which no token holds. */
const readBearer = (header: string): string | undefined => /^Bearer +([\x21-\x7e]{1,8192})$/i.exec(header)?.[1];

/** Digests have one length, and where two of them differ says nothing about the key. */
function equalInConstantTime(left: string, right: string): boolean {
  const [one, other] = [digestText(left), digestText(right)];
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

const unauthenticated: Problem = { slug: "unauthenticated", detail: "A valid bearer credential is needed." };
