/** The HTTP edge: authenticates, validates, forwards; a turn can only run inside its object. Rules: CF6, HP1, SE72. */
import { type Context, Hono } from "hono";
import type { Problem } from "../contracts/errors.ts";
import { notFound } from "../wire/problem.ts";
import type { Dependencies } from "./dependencies.ts";
import type { EdgeEnv } from "./env.ts";
import { describeFailure } from "./describe-failure.ts";
import { assignRequestId } from "./middleware/assign-request-id.ts";
import { authenticate } from "./middleware/authenticate.ts";
import { cors } from "./middleware/cors.ts";
import { limitSizes } from "./middleware/limit-sizes.ts";
import { refuseMisplacedCredentials } from "./middleware/refuse-misplaced-credentials.ts";
import { requireConfigured } from "./middleware/require-configured.ts";
import { respondProblem } from "./problem-response.ts";
import type { Route } from "./route.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { eventRoutes } from "./routes/events.ts";
import { receiptRoutes } from "./routes/receipts.ts";
import { resultRoutes } from "./routes/results.ts";
import { turnVerbRoutes } from "./routes/turn-verbs.ts";
import { turnRoutes } from "./routes/turns.ts";
import { usageRoutes } from "./routes/usage.ts";

const routes: readonly Route[] = [
  ...conversationRoutes,
  ...turnRoutes,
  ...turnVerbRoutes,
  ...approvalRoutes,
  ...eventRoutes,
  ...resultRoutes,
  ...receiptRoutes,
  ...auditRoutes,
  ...agentRoutes,
  ...usageRoutes,
];

/** The order of registration is the order of checks; what comes after them is in `route.ts`. */
export function createApp(dependencies: Dependencies): Hono<EdgeEnv> {
  const { version, commit, log } = dependencies;
  const app = new Hono<EdgeEnv>();
  app.use(assignRequestId);
  app.use(cors(dependencies));
  app.use(limitSizes);
  app.get("/healthz", (context) => context.json({ status: "ok", version, commit }));
  app.use(requireConfigured(dependencies));
  app.use(refuseMisplacedCredentials);
  app.use("/v1/*", authenticate(dependencies));
  for (const route of routes) app.on(route.method, route.path, (context) => runRoute(route, context, dependencies));
  for (const [path, methods] of allowedMethods()) app.all(path, (context) => refuseMethod(context, methods));
  app.notFound((context) => respondProblem(context, notFound));
  app.onError((error, context) => {
    log("error", "internal", { request_id: context.get("requestId"), ...describeFailure(error) });
    return respondProblem(context, internal);
  });
  return app;
}

async function runRoute(route: Route, context: Context<EdgeEnv>, dependencies: Dependencies): Promise<Response> {
  const answer = await route.run(context, dependencies);
  if (!answer.ok) return respondProblem(context, answer.failure);
  const response = context.req.method === "HEAD" ? await dropBody(answer.value) : answer.value;
  const conversation = context.req.param("conversation");
  if (conversation !== undefined) response.headers.set("x-countersign-conversation", conversation);
  return response;
}

/** A stream that nobody reads would keep its object awake. */
async function dropBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}

function allowedMethods(): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, readonly string[]>([["/healthz", ["GET", "HEAD"]]]);
  for (const { path, method } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return methods;
}

function refuseMethod(context: Context<EdgeEnv>, methods: readonly string[]): Response {
  const response = respondProblem(context, methodNotAllowed);
  response.headers.set("allow", methods.join(", "));
  return response;
}

const methodNotAllowed: Problem = { slug: "method-not-allowed", detail: "This address does not take this method." };
const internal: Problem = { slug: "internal", detail: "Something went wrong on our side. The log has it." };
