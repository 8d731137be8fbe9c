/** Approvals: what waits for a person or was decided, and deciding it. Rules: AP6, AP7, SE22, SE23. */
import { encodeApproval, encodeApprovalPage } from "../../wire/approvals.ts";
import { decodeBackwardQuery } from "../../wire/queries.ts";
import { encodeInboxPage } from "../../wire/tenant-documents.ts";
import { decodeDecisionBody } from "../../wire/turn-requests.ts";
import { respondJson } from "../respond.ts";
import { defineRead, defineWrite, type Route } from "../route.ts";

export const approvalRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/conversations/:conversation/approvals",
    scope: "conversations:read",
    query: decodeBackwardQuery,
    answer: async ({ param, open, query }) => {
      const conversation = open(param("conversation"));
      const page = await conversation.call((stub, caller) => stub.listApprovals(caller, query), { idempotent: true });
      return page.ok ? respondJson(encodeApprovalPage(conversation.id, page.value)) : page;
    },
  }),
  defineRead({
    path: "/v1/approvals",
    scope: "conversations:read",
    query: decodeBackwardQuery,
    answer: async ({ tenant, query }) => {
      const page = await tenant.call((stub) => stub.listInbox(tenant.name, query));
      return page.ok ? respondJson(encodeInboxPage(page.value)) : page;
    },
  }),
  defineWrite({
    path: "/v1/conversations/:conversation/approvals/:approval",
    scope: "approvals:decide",
    body: decodeDecisionBody,
    answer: async ({ param, open, body }) => {
      const conversation = open(param("conversation"));
      const approval = param("approval");
      // The same decision twice has the effect of one, so a lost answer may be asked for again.
      const decided = await conversation.call((stub, caller) => stub.decideApproval(caller, approval, body), {
        idempotent: true,
      });
      if (!decided.ok) return decided;
      return respondJson(encodeApproval(conversation.id, decided.value), 200, {
        "x-countersign-turn": decided.value.turn,
      });
    },
  }),
];
