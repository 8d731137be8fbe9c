/** The one function that turns a problem into what the outside sees. Rules: HP1, SE72. */
import type { Context } from "hono";
import { type Problem, problemStatus } from "../contracts/errors.ts";
import { encodeProblem, problemHeaders } from "../wire/problem.ts";
import type { EdgeEnv } from "./env.ts";

export function toProblemResponse(problem: Problem, requestId: string): Response {
  return new Response(JSON.stringify(encodeProblem(problem, requestId)), {
    status: problemStatus[problem.slug],
    headers: problemHeaders(problem),
  });
}

/** To the request in hand. */
export const respondProblem = (context: Context<EdgeEnv>, problem: Problem): Response =>
  toProblemResponse(problem, context.get("requestId"));
