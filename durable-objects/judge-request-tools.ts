/** judgeRequestTools: whether an agent takes the tools that a request brings. Rules: VW5, TC29, RG7. */
import type { AgentProfile } from "../src/contracts/agent-profile.ts";
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { RequestTool } from "../src/contracts/turn.ts";
import { invalidRequest } from "../src/wire/problem.ts";
import { toolsOfAgent } from "./agent-tools.ts";
import type { Deployment } from "./deployment.ts";

/** Before anything is written: a name that the agent has in any way is never shadowed, nor one that a server of its could give. */
export function judgeRequestTools(
  deployment: Deployment,
  agent: AgentProfile,
  tools: readonly RequestTool[],
): Result<void, Problem> {
  if (tools.length === 0) return succeed(undefined);
  if (!agent.clientToolsFromRequest) {
    return failWith(invalidRequest([{ path: "client_tools", message: "this agent takes no tools from a request" }]));
  }
  const own = toolsOfAgent(deployment, agent, {});
  const servers = deployment.config.mcp.servers.map(({ name }) => `${name}__`);
  const faults = tools.flatMap(({ name }, at) => {
    const path = `client_tools.${at}.name`;
    if (own.resolve(name).kind !== "unknown") return [{ path, message: "the agent has a tool of this name" }];
    if (servers.some((prefix) => name.startsWith(prefix)))
      return [{ path, message: "such names are those of an MCP server's tools" }];
    return [];
  });
  return faults.length === 0 ? succeed(undefined) : failWith(invalidRequest(faults));
}
