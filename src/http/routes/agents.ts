/** What this deployment offers: its enabled agents, the tools that each would be granted. Rules: TC16. */
import { decodeNoQuery, decodeToolsQuery } from "../../wire/queries.ts";
import { encodeAgents, encodeTools } from "../../wire/responses.ts";
import { checkAgent } from "../agent-check.ts";
import { respondJson } from "../respond.ts";
import { defineRead, type Route } from "../route.ts";

export const agentRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/agents",
    scope: "conversations:read",
    query: decodeNoQuery,
    answer: async ({ dependencies }) => {
      const { agents, defaultAgent } = dependencies.config();
      return respondJson(encodeAgents(agents, defaultAgent));
    },
  }),
  defineRead({
    path: "/v1/tools",
    scope: "conversations:read",
    query: decodeToolsQuery,
    answer: async ({ dependencies, query }) => {
      const deployment = dependencies.config();
      const agent = checkAgent(deployment, query.agent ?? deployment.defaultAgent);
      if (!agent.ok) return agent;
      return respondJson(encodeTools(agent.value, await dependencies.describeTools(agent.value)));
    },
  }),
];
