/** Routes as data, each checked in the one order that gives a bad request one answer. Rules: SE14, SE16, SE52. */
import type { Context } from "hono";
import type { Problem } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { isId, isIdKind } from "../wire/ids.ts";
import { notFound } from "../wire/problem.ts";
import { decodeNoQuery, type DecodeQuery } from "../wire/queries.ts";
import type { DecodeBody } from "../wire/body.ts";
import { decodeNoBody } from "../wire/turn-requests.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import type { Dependencies } from "./dependencies.ts";
import type { EdgeEnv } from "./env.ts";
import { chooseMediaType } from "./negotiate.ts";
import { hasNoBody, readJson, uploadCut } from "./read-json.ts";
import type { Scope } from "./scopes.ts";
import { openTenant, type Tenant } from "./tenant.ts";

export type MediaType = "application/json" | "text/event-stream";
export type Answer = Result<Response, Problem>;

/** A request that passed every check of its route. */
export interface RouteCall {
  readonly dependencies: Dependencies;
  readonly accepted: MediaType;
  /** The name under which the client reached us. */
  readonly host: string;
  readonly header: (name: string) => string | undefined;
  /** A path parameter; its grammar holds already. */
  readonly param: (name: string) => string;
  readonly open: (conversation: string) => Conversation;
  /** The caller's own. */
  readonly tenant: Tenant;
}
export interface ReadCall<Query> extends RouteCall {
  readonly query: Query;
}
export interface WriteCall<Body> extends RouteCall {
  readonly body: Body;
  /** The same before its schema: what an idempotency fingerprint is taken over. */
  readonly json: JsonValue;
}

interface RouteShape {
  readonly path: string;
  readonly scope: Scope;
  /** What the route can answer with, its own preference first; absent: JSON. `"stored"`: whatever there is. */
  readonly offers?: readonly MediaType[] | "stored";
}
interface ReadShape<Query> extends RouteShape {
  readonly query: DecodeQuery<Query>;
  answer(call: ReadCall<Query>): Promise<Answer>;
}
interface WriteShape<Body> extends RouteShape {
  readonly body: DecodeBody<Body>;
  /** A request without a body and its media type then counts as `{}`. */
  readonly mayBeEmpty?: boolean;
  answer(call: WriteCall<Body>): Promise<Answer>;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  run(context: Context<EdgeEnv>, dependencies: Dependencies): Promise<Answer>;
}

export function defineRead<Query>(shape: ReadShape<Query>): Route {
  return {
    method: "GET",
    path: shape.path,
    run: async (context, dependencies) => {
      const admitted = admit(shape, context, dependencies);
      if (!admitted.ok) return admitted;
      const query = shape.query(queryPairs(context));
      if (!query.ok) return query;
      return await shape.answer({ ...admitted.value, query: query.value });
    },
  };
}

export function defineWrite<Body>(shape: WriteShape<Body>): Route {
  return {
    method: "POST",
    path: shape.path,
    run: async (context, dependencies) => {
      const admitted = admit(shape, context, dependencies);
      if (!admitted.ok) return admitted;
      const { raw } = context.req;
      const json = shape.mayBeEmpty === true && hasNoBody(raw) ? succeed({}) : await readJson(raw);
      if (!json.ok) {
        if (json.failure === uploadCut)
          dependencies.log("info", "upload_cut", { request_id: context.get("requestId") });
        return json;
      }
      const query = decodeNoQuery(queryPairs(context));
      if (!query.ok) return query;
      const body = shape.body(json.value);
      if (!body.ok) return body;
      return await shape.answer({ ...admitted.value, json: json.value, body: body.value });
    },
  };
}

/** A verb that is asked by its address alone: a body may be left out, and says nothing if it is there. */
export const defineCommand = (shape: Omit<WriteShape<unknown>, "body" | "mayBeEmpty">): Route =>
  defineWrite({ ...shape, body: decodeNoBody, mayBeEmpty: true });

/** A command whose verb is the method itself. */
export const defineDelete = (shape: Parameters<typeof defineCommand>[0]): Route => ({
  ...defineCommand(shape),
  method: "DELETE",
});

/** Everything that can be judged before the body: ids, scope, media type of the answer. */
function admit(shape: RouteShape, context: Context<EdgeEnv>, dependencies: Dependencies): Result<RouteCall, Problem> {
  const parameters = new Map(Object.entries(context.req.param()));
  for (const [name, value] of parameters) if (!isIdKind(name) || !isId(name, value)) return failWith(notFound);
  if (!context.get("principal").scopes.includes(shape.scope)) return failWith(missingScope(shape.scope));
  const accepted = negotiate(shape.offers ?? ["application/json"], context.req.header("accept"));
  if (accepted === undefined) return failWith(notAcceptable);
  return succeed({
    dependencies,
    accepted,
    host: new URL(context.req.url).hostname,
    header: (name) => context.req.header(name),
    param: (name) => parameters.get(name) ?? "",
    open: (conversation) => openConversation(context, dependencies, conversation),
    tenant: openTenant(context, dependencies),
  });
}

const negotiate = (offers: readonly MediaType[] | "stored", accept: string | undefined): MediaType | undefined =>
  offers === "stored" ? "application/json" : chooseMediaType(accept, offers);

const queryPairs = (context: Context<EdgeEnv>): Iterable<readonly [string, string]> =>
  new URL(context.req.url).searchParams.entries();

const missingScope = (scope: Scope): Problem => ({
  slug: "forbidden",
  detail: `This needs the scope ${scope}.`,
});
const notAcceptable: Problem = {
  slug: "not-acceptable",
  detail: "This route has no reply of a type that Accept names.",
};
