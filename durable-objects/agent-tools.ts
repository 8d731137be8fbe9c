/** The tools of an agent: in a turn, in a delegate's frame, and for the question what a turn would get. Rules: RG1, TS2, SC5, SC18, TC29. */
import type { AgentProfile } from "../src/contracts/agent-profile.ts";
import type { BarredTool } from "../src/contracts/turn-journal.ts";
import type { Tool } from "../src/contracts/tool.ts";
import type { TurnNarrowing } from "../src/contracts/turn.ts";
import type { ExecutionParts } from "../src/core/execution/resolved-agent-execution.ts";
import { reachableDelegates } from "../src/policy/delegation.ts";
import { builtinTools } from "../src/tools/builtin/builtin-tools.ts";
import { createDelegateTool } from "../src/tools/delegate-tool.ts";
import { assembleTools } from "../src/tools/registry.ts";
import { isSendable } from "../src/tools/schema-cleaning/clean-schema.ts";
import type { ScopedRegistry } from "../src/tools/scoped-registry.ts";
import { type Deployment, profilesOf } from "./deployment.ts";
import type { McpTools } from "./mcp-servers.ts";
import { isBarred, schemaCleanerFor } from "./provider-schemas.ts";

export interface ToolsOf extends Pick<ExecutionParts, "agent" | "risk" | "runtime" | "narrowing"> {
  /** Aliases of agents that may be delegated to from here. */
  readonly reachable: readonly string[];
  /** Names of what the caller's frame has. */
  readonly within?: ReadonlySet<string>;
  readonly foreign: McpTools;
  readonly requestTools?: readonly Tool[];
  readonly barred?: readonly BarredTool[];
}

export function grantedTools(
  deployment: Deployment,
  { agent, risk, runtime, reachable, narrowing, within, foreign, requestTools = [], barred = [] }: ToolsOf,
): ScopedRegistry {
  const { config, tools: configured } = deployment;
  const cleanSchema = schemaCleanerFor(deployment, agent.modelProvider);
  return assembleTools({
    agent,
    risk,
    runtime,
    builtins: builtinTools,
    configured,
    bundles: config.toolBundles,
    mcp: config.mcp,
    mcpTools: foreign.tools,
    mcpDisabled: foreign.disabled,
    requestTools,
    narrowing,
    isSendable: ({ definition, definitionHash }) =>
      isSendable(cleanSchema(definition.inputSchema)) && !isBarred(barred, agent, definitionHash),
    ...(within === undefined ? {} : { within }),
    ...(reachable.length === 0 ? {} : { delegate: createDelegateTool(reachable) }),
  });
}

/** What an agent has in a turn of its own, as `GET /v1/tools` lists it. */
export function toolsOfAgent(deployment: Deployment, agent: AgentProfile, narrowing: TurnNarrowing): ScopedRegistry {
  const { risk, runtime } = profilesOf(deployment, agent);
  const reachable = reachableFrom(deployment, { agent, risk, depthLeft: runtime.maxDelegationDepth });
  return grantedTools(deployment, { agent, risk, runtime, reachable, narrowing, foreign: noMcpTools });
}

/** What is known of MCP servers lies in conversations. */
const noMcpTools: McpTools = { tools: [], disabled: [] };

export const reachableFrom = (
  { config }: Deployment,
  { agent, risk, depthLeft }: Pick<ExecutionParts, "agent" | "risk"> & { readonly depthLeft: number },
): readonly string[] => reachableDelegates(config.agents.values(), { caller: agent, policy: risk, depthLeft });
