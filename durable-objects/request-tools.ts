/** Tools that a request brings: what they become for its turn, and that nobody is asked about them. Rules: VW5, TC5, TC29. */
import type { RiskProfile } from "../src/contracts/agent-profile.ts";
import type { Tool } from "../src/contracts/tool.ts";
import type { RequestTool } from "../src/contracts/turn.ts";
import { createRequestTool } from "../src/tools/client-tool.ts";
import { systemPorts } from "./system-ports.ts";

/** One whose schema cannot be checked is left out alone, and an operator is told. */
export function createRequestTools(tools: readonly RequestTool[]): readonly Tool[] {
  return tools.map(createRequestTool).filter(({ definition, faults }) => {
    for (const { path, message } of faults) {
      systemPorts.log("warn", "tool_quarantined", { tool: definition.name, reason: message, at: path });
    }
    return faults.length === 0;
  });
}

/** Whoever runs a tool decides about it; what must always be asked about still is. */
export function approveRequested(risk: RiskProfile, tools: readonly Tool[]): RiskProfile {
  if (tools.length === 0) return risk;
  return { ...risk, autoApprove: [...risk.autoApprove, ...tools.map(({ definition }) => definition.name)] };
}
