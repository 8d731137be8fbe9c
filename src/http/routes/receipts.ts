/** Receipts: listed, shown, verified. Rules: RE7, RE9. */
import { failWith } from "../../contracts/result.ts";
import { isId } from "../../wire/ids.ts";
import { notFound } from "../../wire/problem.ts";
import { decodeNoQuery, decodeReceiptsQuery } from "../../wire/queries.ts";
import { decodeVerifyBody } from "../../wire/requests.ts";
import { encodeReceipt, encodeReceiptPage, encodeVerdict } from "../../wire/responses.ts";
import { respondJson } from "../respond.ts";
import { defineRead, defineWrite, type Route } from "../route.ts";

export const receiptRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/conversations/:conversation/receipts",
    scope: "receipts:read",
    query: decodeReceiptsQuery,
    answer: async ({ param, open, query }) => {
      const conversation = open(param("conversation"));
      const page = await conversation.call((stub, caller) => stub.listReceipts(caller, query), { idempotent: true });
      return page.ok ? respondJson(encodeReceiptPage(conversation.id, page.value, query)) : page;
    },
  }),
  defineRead({
    path: "/v1/conversations/:conversation/receipts/:token",
    scope: "receipts:read",
    query: decodeNoQuery,
    answer: async ({ param, open }) => {
      const conversation = open(param("conversation"));
      const view = await conversation.call((stub, caller) => stub.readReceipt(caller, param("token")), {
        idempotent: true,
      });
      return view.ok ? respondJson(encodeReceipt(conversation.id, view.value)) : view;
    },
  }),
  defineWrite({
    path: "/v1/receipts/verify",
    scope: "receipts:read",
    body: decodeVerifyBody,
    answer: async ({ open, body }) => {
      if (!isId("conversation", body.conversation)) return failWith(notFound);
      const conversation = open(body.conversation);
      const verdict = await conversation.call((stub, caller) => stub.verifyReceipt(caller, body.claim), {
        idempotent: true,
      });
      if (!verdict.ok) return verdict;
      return respondJson(encodeVerdict(verdict.value, body.claim), 200, {
        "x-countersign-conversation": conversation.id,
      });
    },
  }),
];
