/** Assembly: the one place where a turn's execution is put together from deployment, rows and platform. Rules: RX1, RX4, RX13. */
import type { RuntimeProfile } from "../src/contracts/agent-profile.ts";
import type { BarredTool } from "../src/contracts/turn-journal.ts";
import type { ReceiptScope } from "../src/contracts/receipt.ts";
import type { Tool } from "../src/contracts/tool.ts";
import type { RequestTool, TurnRecord } from "../src/contracts/turn.ts";
import { splitModelName } from "../src/core/execution/model-binding.ts";
import { grantedNames } from "../src/core/execution/pin-execution.ts";
import {
  type DelegateBounds,
  type ExecutionParts,
  type ProgressBoard,
  resolveAgentExecution,
  type ResolvedAgentExecution,
} from "../src/core/execution/resolved-agent-execution.ts";
import { createLogObserver } from "../src/observe/log-observer.ts";
import { createDeltaRedactor } from "../src/observe/redact-deltas.ts";
import { intersectRisk } from "../src/policy/delegation.ts";
import { signReceipt } from "../src/receipts/sign.ts";
import { judgeBy } from "../src/receipts/verify.ts";
import { createDelegateTool } from "../src/tools/delegate-tool.ts";
import { withoutWithdrawn } from "../src/tools/live-registry.ts";
import type { ScopedRegistry } from "../src/tools/scoped-registry.ts";
import { grantedTools, reachableFrom } from "./agent-tools.ts";
import { bindModel } from "./bind-model.ts";
import { budgetOf, createCostMeter } from "./cost-meter.ts";
import { type Deployment, profilesOf, requireOf } from "./deployment.ts";
import type { McpServers } from "./mcp-servers.ts";
import { reportDisabled } from "./provider-schemas.ts";
import { approveRequested, createRequestTools } from "./request-tools.ts";
import { systemPorts } from "./system-ports.ts";
import type { TenantPort } from "./tenant-port.ts";
import { createToolContext } from "./tool-context.ts";

export interface TurnParts {
  readonly deployment: Deployment;
  /** Of the conversation, and read as far as the turn needs them. */
  readonly mcp: Pick<McpServers, "toolsOf" | "isCurrent">;
  readonly turn: TurnRecord;
  readonly scope: ReceiptScope;
  /** What the request brought; the turn's own frame has them, and no other (TC29). */
  readonly requestTools: readonly RequestTool[];
  /** What providers have refused in this conversation (SC8). */
  readonly barred: readonly BarredTool[];
  readonly tenant: Pick<TenantPort, "reserve">;
  readonly progress: ProgressBoard;
}

/** Throws when the turn's agent is gone from the configuration: whoever accepted the turn checked that it was there. */
export function assembleExecution(parts: TurnParts): ResolvedAgentExecution {
  const { deployment, turn, scope } = parts;
  const agent = requireOf(deployment.config.agents, turn.agent);
  const { risk, runtime } = profilesOf(deployment, agent);
  const { keys } = deployment;
  const signs = agent.toolReceipts.enabled;
  return assembleFrame(parts, {
    agent,
    risk,
    runtime,
    depthLeft: runtime.maxDelegationDepth,
    requestTools: createRequestTools(parts.requestTools),
    ...(signs ? { signReceipt: (body) => signReceipt(keys, scope, body), isGenuine: judgeBy(keys, scope) } : {}),
  });
}

/** What one ToolLoop of the turn starts from: the turn's own, or a delegate's under what both may do (RX13). */
interface FrameParts extends Pick<ExecutionParts, "agent" | "risk" | "runtime" | "signReceipt" | "isGenuine"> {
  /** Frames that may still be opened below this one. */
  readonly depthLeft: number;
  /** Names of what the caller's frame has. */
  readonly within?: ReadonlySet<string>;
  readonly requestTools?: readonly Tool[];
}

function assembleFrame(parts: TurnParts, frame: FrameParts): ResolvedAgentExecution {
  const { deployment, mcp, turn, barred, tenant } = parts;
  const { config } = deployment;
  const { agent, runtime, requestTools = [] } = frame;
  const { narrowing } = turn;
  const budget = budgetOf(runtime);
  const reachable = reachableFrom(deployment, frame);
  const foreign = mcp.toolsOf(agent, frame.risk);
  const granted = grantedTools(deployment, { ...frame, reachable, narrowing, foreign, barred });
  reportDisabled(granted, agent);
  return resolveAgentExecution({
    ...frame,
    risk: approveRequested(
      frame.risk,
      requestTools.filter((tool) => isGranted(granted, tool)),
    ),
    narrowing,
    model: bindModel(deployment, { provider: agent.modelProvider, model: agent.model }),
    bindModel: (name) => bindModel(deployment, splitModelName(name)),
    ...(budget === undefined ? {} : { meter: createCostMeter(tenant, budget) }),
    registry: withoutWithdrawn(granted, mcp.isCurrent),
    approvers: { exists: (channel) => deployment.channels.has(channel) },
    maxActivatedTools: config.mcp.maxActivatedTools,
    createToolContext: (of) => createToolContext(parts, agent, of),
    progress: parts.progress,
    hooks: config.toolHooks,
    redactor: redactorFor(deployment, runtime),
    deltaFlushMs: config.limits.deltaFlushMs,
    ports: systemPorts,
    // Rendering for an observer costs time on every call; below `debug` nobody reads it.
    ...(config.observability.logLevel === "debug" ? { observe: createLogObserver(systemPorts.log) } : {}),
    delegates: {
      tool: () => createDelegateTool(reachable),
      reachable,
      resolve: (alias, bounds) => assembleDelegate(parts, { ...frame, ...bounds }, alias),
    },
  });
}

/** A tool of the same name that came from elsewhere since is not what the request brought. */
function isGranted(granted: ScopedRegistry, tool: Tool): boolean {
  const resolution = granted.resolve(tool.definition.name);
  return "tool" in resolution && resolution.tool === tool;
}

/** Its own model, knobs and groups; tools, level and approvals as both allow; the caller's receipts. */
function assembleDelegate(
  parts: TurnParts,
  caller: FrameParts & DelegateBounds,
  alias: string,
): ResolvedAgentExecution {
  const { deployment } = parts;
  const agent = requireOf(deployment.config.agents, alias);
  const target = profilesOf(deployment, agent);
  // What the request brought is the caller's alone: a tool that the target has under such a name is not what was granted.
  const requested = new Set(caller.requestTools?.map(({ definition }) => definition.name));
  const granted = grantedNames(caller.registry).filter((name) => !requested.has(name));
  return assembleFrame(parts, {
    agent,
    runtime: target.runtime,
    risk: intersectRisk(caller.risk, target.risk, granted),
    depthLeft: Math.min(caller.depthLeft - 1, target.runtime.maxDelegationDepth),
    within: new Set(granted),
    ...(caller.signReceipt === undefined ? {} : { signReceipt: caller.signReceipt }),
  });
}

/** What streams is redacted as it streams, unless the profile says that events are not. */
function redactorFor({ redactor }: Deployment, { redactEvents }: RuntimeProfile): ResolvedAgentExecution["redactor"] {
  const { text, value } = redactor;
  return { text, value, deltas: () => (redactEvents ? createDeltaRedactor(redactor) : asItCame) };
}

const asItCame = { push: (text: string) => text, end: () => "" };
