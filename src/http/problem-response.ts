/** The one function that turns a problem into what the outside sees. Rules: HP1, SE72. */
import type { Context } from "hono";
import { type Problem, problemStatus } from "../contracts/errors.ts";
import { encodeProblem, problemHeaders } from "../wire/problem.ts";
import type { EdgeEnv } from "./env.ts";

export function respondProblem(context: Context<EdgeEnv>, problem: Problem): Response {
  return new Response(JSON.stringify(encodeProblem(problem, context.get("requestId"))), {
    status: problemStatus[problem.slug],
    headers: problemHeaders(problem),
  });
}
