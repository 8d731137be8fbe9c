/** Conversations: created under ids that nobody can guess, listed, read, deleted. Rules: G16, SE16, DU46. */
import type { Problem } from "../../contracts/errors.ts";
import type { Result } from "../../contracts/result.ts";
import type { ConversationView } from "../../contracts/verbs.ts";
import { conversationPath } from "../../wire/paths.ts";
import { decodeConversationsQuery, decodeNoQuery } from "../../wire/queries.ts";
import { encodeConversation } from "../../wire/responses.ts";
import { decodeConversationBody } from "../../wire/requests.ts";
import { encodeConversationPage, encodeDeletion } from "../../wire/tenant-documents.ts";
import { checkAgent } from "../agent-check.ts";
import { mintId } from "../random-id.ts";
import { respondJson } from "../respond.ts";
import { defineDelete, defineRead, defineWrite, type Route, type RouteCall } from "../route.ts";

const path = "/v1/conversations/:conversation";

const readConversation = async ({ param, open }: RouteCall): Promise<Result<ConversationView, Problem>> =>
  await open(param("conversation")).call((stub, caller) => stub.readConversation(caller), { idempotent: true });

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
    path: "/v1/conversations",
    scope: "conversations:read",
    query: decodeConversationsQuery,
    answer: async ({ tenant, query }) => {
      const page = await tenant.call((stub) => stub.listConversations(tenant.name, query));
      return page.ok ? respondJson(encodeConversationPage(page.value)) : page;
    },
  }),
  defineRead({
    path,
    scope: "conversations:read",
    query: decodeNoQuery,
    answer: async (call) => {
      const view = await readConversation(call);
      return view.ok ? respondJson(encodeConversation(view.value)) : view;
    },
  }),
  defineDelete({
    path,
    scope: "conversations:delete",
    answer: async (call) => {
      const { param, tenant } = call;
      const conversation = param("conversation");
      const view = await readConversation(call);
      // Once more, also when only the answer was lost, is the same deletion.
      if (!view.ok && view.failure.slug !== "conversation-deleted") return view;
      const deleted = await tenant.call((stub) => stub.deleteConversation({ tenant: tenant.name, conversation }));
      return deleted.ok ? respondJson(encodeDeletion(conversation), 202) : deleted;
    },
  }),
];
