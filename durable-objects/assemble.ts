/** Assembly: the one place where a turn's execution is put together from deployment, rows and platform. Rules: RX1, RX4, TC10, TC11. */
import { grantedNames, narrowRegistry } from "../src/core/execution/pin-execution.ts";
import {
  type ExecutionParts,
  resolveAgentExecution,
  type ResolvedAgentExecution,
} from "../src/core/execution/resolved-agent-execution.ts";
import type { ToolContextOf } from "../src/core/execution/resolved-agent-execution.ts";
import type { AgentProfile, RuntimeProfile } from "../src/contracts/agent-profile.ts";
import type { ReceiptScope } from "../src/contracts/receipt.ts";
import type { ToolContext, ToolRegistry } from "../src/contracts/tool.ts";
import type { TurnNarrowing, TurnRecord } from "../src/contracts/turn.ts";
import { createLogObserver } from "../src/observe/log-observer.ts";
import { createDeltaRedactor } from "../src/observe/redact-deltas.ts";
import { intersectRisk, reachableDelegates } from "../src/policy/delegation.ts";
import { signReceipt } from "../src/receipts/sign.ts";
import { judgeBy } from "../src/receipts/verify.ts";
import { builtinTools } from "../src/tools/builtin/builtin-tools.ts";
import { createDelegateTool } from "../src/tools/delegate-tool.ts";
import { createToolFetch } from "../src/tools/guarded-fetch.ts";
import { assembleTools } from "../src/tools/registry.ts";
import type { ScopedRegistry } from "../src/tools/scoped-registry.ts";
import type { Deployment } from "./deployment.ts";
import { systemPorts } from "./system-ports.ts";

export interface TurnParts {
  readonly deployment: Deployment;
  readonly turn: TurnRecord;
  readonly scope: ReceiptScope;
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
    ...(signs ? { signReceipt: (body) => signReceipt(keys, scope, body), isGenuine: judgeBy(keys, scope) } : {}),
  });
}

/** What one ToolLoop of the turn starts from: the turn's own, or a delegate's under what both may do (RX13). */
interface FrameParts extends Pick<ExecutionParts, "agent" | "risk" | "runtime" | "signReceipt" | "isGenuine"> {
  /** Frames that may still be opened below this one. */
  readonly depthLeft: number;
  /** Names of what the caller's frame has. */
  readonly within?: readonly string[];
}

function assembleFrame(parts: TurnParts, frame: FrameParts): ResolvedAgentExecution {
  const { deployment, turn } = parts;
  const { config } = deployment;
  const { agent, runtime, within } = frame;
  const reachable = reachableFrom(deployment, frame);
  const own = grantedTools(deployment, { ...frame, reachable, narrowing: turn.narrowing });
  const registry = within === undefined ? own : narrowRegistry(own, { granted: within, risk: frame.risk });
  const execution: ResolvedAgentExecution = resolveAgentExecution({
    ...frame,
    narrowing: turn.narrowing,
    model: bindModel(deployment, agent),
    registry,
    maxActivatedTools: config.mcp.maxActivatedTools,
    createToolContext: (of) => createToolContext(parts, agent, of),
    hooks: config.toolHooks,
    redactor: redactorFor(deployment, runtime),
    deltaFlushMs: config.limits.deltaFlushMs,
    ports: systemPorts,
    // Rendering for an observer costs time on every call; below `debug` nobody reads it.
    ...(config.observability.logLevel === "debug" ? { observe: createLogObserver(systemPorts.log) } : {}),
    ...(reachable.length === 0
      ? {}
      : { delegates: { reachable, resolve: (alias) => assembleDelegate(parts, { ...frame, registry }, alias) } }),
  });
  return execution;
}

/** Its own model, knobs and groups; tools, level and approvals as both allow; the caller's receipts. */
function assembleDelegate(
  parts: TurnParts,
  caller: FrameParts & { readonly registry: ToolRegistry },
  alias: string,
): ResolvedAgentExecution | undefined {
  const { deployment } = parts;
  if (!reachableFrom(deployment, caller).includes(alias)) return undefined;
  const agent = requireOf(deployment.config.agents, alias);
  const target = profilesOf(deployment, agent);
  const within = grantedNames(caller.registry);
  return assembleFrame(parts, {
    agent,
    runtime: target.runtime,
    risk: intersectRisk(caller.risk, target.risk, within),
    depthLeft: Math.min(caller.depthLeft - 1, target.runtime.maxDelegationDepth),
    within,
    ...(caller.signReceipt === undefined ? {} : { signReceipt: caller.signReceipt }),
  });
}

const reachableFrom = (
  { config }: Deployment,
  { agent, risk, depthLeft }: Pick<FrameParts, "agent" | "risk" | "depthLeft">,
) => reachableDelegates(config.agents.values(), { caller: agent, policy: risk, depthLeft });

/** What streams is redacted as it streams, unless the profile says that events are not. */
function redactorFor({ redactor }: Deployment, { redactEvents }: RuntimeProfile): ResolvedAgentExecution["redactor"] {
  const { text, value } = redactor;
  return { text, value, deltas: () => (redactEvents ? createDeltaRedactor(redactor) : asItCame) };
}

const asItCame = { push: (text: string) => text, end: () => "" };

/** What an agent has in a turn of its own, as `GET /v1/tools` lists it. */
export function toolsOfAgent(deployment: Deployment, agent: AgentProfile, narrowing: TurnNarrowing): ScopedRegistry {
  const { risk, runtime } = profilesOf(deployment, agent);
  const reachable = reachableFrom(deployment, { agent, risk, depthLeft: runtime.maxDelegationDepth });
  return grantedTools(deployment, { agent, risk, runtime, reachable, narrowing });
}

/** The same function for a turn, a delegate's frame, and the question what a turn would get. */
function grantedTools(
  { config, tools: configured }: Deployment,
  { agent, risk, runtime, reachable, narrowing }: ToolsOf,
): ScopedRegistry {
  return assembleTools({
    agent,
    risk,
    runtime,
    builtins: builtinTools,
    configured,
    bundles: config.toolBundles,
    mcp: config.mcp,
    narrowing,
    ...(reachable.length === 0 ? {} : { delegate: createDelegateTool(reachable) }),
  });
}
interface ToolsOf extends Pick<ExecutionParts, "agent" | "risk" | "runtime" | "narrowing"> {
  readonly reachable: readonly string[];
}

function profilesOf({ config }: Deployment, agent: AgentProfile) {
  return {
    risk: requireOf(config.riskProfiles, agent.riskProfile),
    runtime: requireOf(config.runtimeProfiles, agent.runtimeProfile),
  };
}

/** The validated configuration has every name that it uses; a miss is a bug. */
function requireOf<Value>(named: ReadonlyMap<string, Value>, name: string): Value {
  const value = named.get(name);
  if (value === undefined) throw new Error(`"${name}" is not configured`);
  return value;
}

function bindModel({ config, providers }: Deployment, agent: AgentProfile): ResolvedAgentExecution["model"] {
  const provider = requireOf(providers, agent.modelProvider);
  const model = agent.model ?? provider.defaultModel;
  const known = config.providers.get(agent.modelProvider)?.models.get(model);
  const input = known?.inputUsdPerMtok ?? 0;
  return {
    provider,
    model,
    price: { input, cachedInput: known?.cachedInputUsdPerMtok ?? input, output: known?.outputUsdPerMtok ?? 0 },
  };
}

function createToolContext(
  { deployment, turn, scope }: TurnParts,
  { alias }: AgentProfile,
  of: ToolContextOf,
): ToolContext {
  const { config, egress, secrets } = deployment;
  const { log } = systemPorts;
  const ids = { turn: turn.id, call: of.callId };
  return {
    signal: of.signal,
    tenant: scope.tenant,
    conversation: scope.conversation,
    turn: turn.id,
    callId: of.callId,
    agent: alias,
    subject: turn.subject,
    ...(of.idempotencyKey === undefined ? {} : { idempotencyKey: of.idempotencyKey }),
    fetch: createToolFetch({
      fetch: (url, init) => fetch(url, init),
      rules: egress,
      signal: of.signal,
      maxBytes: config.egress.maxFetchBytes,
      log: (level, code, fields) => log(level, code, { ...ids, ...fields }),
    }),
    now: systemPorts.now,
    // Progress has no readers yet: it is no event of the log, and streams carry the log alone.
    progress: () => undefined,
    secret: (name) => {
      const value = of.secrets.includes(name) ? secrets.get(name) : undefined;
      if (value === undefined) throw new Error(`the secret ${name} is not declared by this tool, or not bound`);
      return value;
    },
    log: (level, code, fields) => log(level, code, { ...ids, ...fields }),
    ...(of.searchable === undefined ? {} : { searchable: of.searchable }),
    ...(of.readResult === undefined ? {} : { readResult: of.readResult }),
  };
}
