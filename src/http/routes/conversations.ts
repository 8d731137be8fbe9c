/** Conversations: created under ids that nobody can guess, and read. Rules: SE16. */
import { conversationPath } from "../../wire/paths.ts";
import { decodeNoQuery } from "../../wire/queries.ts";
import { encodeConversation } from "../../wire/responses.ts";
import { decodeConversationBody } from "../../wire/requests.ts";
import { checkAgent } from "../agent-check.ts";
import { mintId } from "../random-id.ts";
import { respondJson } from "../respond.ts";
import { defineRead, defineWrite, type Route } from "../route.ts";

export const conversationRoutes: readonly Route[] = [
  defineWrite({
    path: "/v1/conversations",
    scope: "turns:write",
    body: decodeConversationBody,
    mayBeEmpty: true,
    answer: async ({ dependencies, body, open }) => {
      if (body.agent !== undefined) {
        const agent = checkAgent(dependencies.config(), body.agent);
        if (!agent.ok) return agent;
      }
      const conversation = open(mintId("conv_"));
      const created = await conversation.call((stub, caller) => stub.createConversation(caller, body), {
        idempotent: false,
      });
      if (!created.ok) return created;
      return respondJson(encodeConversation(created.value), 201, {
        location: conversationPath(conversation.id),
        "x-countersign-conversation": conversation.id,
      });
    },
  }),
  defineRead({
    path: "/v1/conversations/:conversation",
    scope: "conversations:read",
    query: decodeNoQuery,
    answer: async ({ param, open }) => {
      const view = await open(param("conversation")).call((stub, caller) => stub.readConversation(caller), {
        idempotent: true,
      });
      return view.ok ? respondJson(encodeConversation(view.value)) : view;
    },
  }),
];
