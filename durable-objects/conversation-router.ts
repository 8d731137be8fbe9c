/** The object's own router: byte streams come by fetch, verbs by RPC. Rules: SE17, DU31. */
import { type IRequest, Router } from "itty-router";
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, succeed } from "../src/contracts/result.ts";
import type { Caller } from "../src/contracts/verbs.ts";
import { decodeCaller } from "../src/http/caller-header.ts";
import { toProblemResponse } from "../src/http/problem-response.ts";
import { exportAudit } from "./audit-verbs.ts";
import type { Conversation } from "./conversation-entry.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { streamEvents } from "./event-verbs.ts";
import { streamResult } from "./result-stream.ts";

/** Gives the conversation to a caller who owns it, or the refusal. */
export type Enter = (caller: Caller) => Result<Conversation, Problem>;

export function createConversationRouter(enter: Enter): (request: Request) => Promise<Response> {
  const router = Router();
  router.get("/events", (request: IRequest & Request) =>
    answer(request, (parts) => {
      const { turn, after } = request.query;
      const cursor = { after: Number(after ?? 0), ...(typeof turn === "string" ? { turn } : {}) };
      return streamEvents(parts, cursor, request.signal);
    }),
  );
  router.get("/calls/:call/result", (request: IRequest & Request) =>
    answer(request, (parts) => streamResult(parts, request.params["call"] ?? "", request.headers.get("range"))),
  );

  router.get("/audit", (request: IRequest & Request) => answer(request, (parts) => succeed(exportAudit(parts))));

  function answer(request: Request, act: (parts: ConversationParts) => Result<Response, Problem>): Response {
    const caller = decodeCaller(request.headers);
    if (caller === undefined) return toProblemResponse({ slug: "unauthenticated", detail: "No caller was named." }, "");
    const entered = enter(caller);
    const outcome = entered.ok ? act(entered.value.parts) : entered;
    return outcome.ok ? outcome.value : toProblemResponse(outcome.failure, caller.requestId);
  }

  return async (request) =>
    (await router.fetch(request)) ?? toProblemResponse({ slug: "not-found", detail: "No such stream." }, "");
}
