/** The audit chain: pages, a walk of all of it, an export for the offline verifier. Rules: AU2. */
import { encodeAuditPage } from "../../wire/audit.ts";
import { decodeAuditQuery } from "../../wire/queries.ts";
import { passOn, respondJson } from "../respond.ts";
import { defineRead, type Route } from "../route.ts";

export const auditRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/conversations/:conversation/audit",
    scope: "receipts:read",
    query: decodeAuditQuery,
    answer: async ({ param, open, query }) => {
      const conversation = open(param("conversation"));
      const { export: whole, ...asked } = query;
      if (whole) {
        const exported = await conversation.fetch("/audit");
        if (!exported.ok) return exported;
        const name = `attachment; filename="${conversation.id}.json"`;
        return passOn(exported.value, exported.value.ok ? { "content-disposition": name } : {});
      }
      const page = await conversation.call((stub, caller) => stub.readAudit(caller, asked), { idempotent: true });
      return page.ok ? respondJson(encodeAuditPage(conversation.id, page.value, asked)) : page;
    },
  }),
];
