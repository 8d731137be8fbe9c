/** What the caller's tenant has used and spent. Rules: SE80. */
import { decodeUsageQuery } from "../../wire/queries.ts";
import { encodeUsage } from "../../wire/tenant-documents.ts";
import { respondJson } from "../respond.ts";
import { defineRead, type Route } from "../route.ts";

export const usageRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/usage",
    scope: "admin",
    query: decodeUsageQuery,
    answer: async ({ tenant, query }) => {
      const report = await tenant.call((stub) => stub.readUsage(tenant.name, query));
      return report.ok ? respondJson(encodeUsage(report.value)) : report;
    },
  }),
];
