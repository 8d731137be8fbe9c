/** Routes of turns: accept one, read one, page through them. */
import { decodeBackwardQuery, decodeNoQuery } from "../../wire/queries.ts";
import { decodeTurnBody } from "../../wire/requests.ts";
import { encodeTurn, encodeTurnPage } from "../../wire/responses.ts";
import { acceptTurn } from "../accept-turn.ts";
import { respondJson } from "../respond.ts";
import { defineRead, defineWrite, type Route } from "../route.ts";

export const turnRoutes: readonly Route[] = [
  defineWrite({
    path: "/v1/conversations/:conversation/turns",
    scope: "turns:write",
    offers: ["application/json", "text/event-stream"],
    body: decodeTurnBody,
    answer: acceptTurn,
  }),
  defineRead({
    path: "/v1/conversations/:conversation/turns",
    scope: "conversations:read",
    query: decodeBackwardQuery,
    answer: async ({ param, open, query }) => {
      const conversation = open(param("conversation"));
      const page = await conversation.call((stub, caller) => stub.listTurns(caller, query), { idempotent: true });
      return page.ok ? respondJson(encodeTurnPage(conversation.id, page.value)) : page;
    },
  }),
  defineRead({
    path: "/v1/conversations/:conversation/turns/:turn",
    scope: "conversations:read",
    query: decodeNoQuery,
    answer: async ({ param, open }) => {
      const conversation = open(param("conversation"));
      const view = await conversation.call((stub, caller) => stub.readTurn(caller, param("turn")), {
        idempotent: true,
      });
      if (!view.ok) return view;
      return respondJson(encodeTurn(conversation.id, view.value), 200, { "x-countersign-turn": param("turn") });
    },
  }),
];
