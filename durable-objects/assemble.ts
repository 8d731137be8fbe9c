/** Assembly: the one place where a turn's execution is put together from deployment, rows and platform. Rules: RX1, RX4, TC10, TC11. */
import { resolveAgentExecution, type ResolvedAgentExecution } from "../src/core/execution/resolved-agent-execution.ts";
import type { ToolContextOf } from "../src/core/execution/resolved-agent-execution.ts";
import type { AgentProfile, RuntimeProfile } from "../src/contracts/agent-profile.ts";
import type { TurnJournal } from "../src/contracts/ports.ts";
import type { ReceiptScope } from "../src/contracts/receipt.ts";
import type { ResultRange, ToolContext } from "../src/contracts/tool.ts";
import type { TurnNarrowing, TurnRecord } from "../src/contracts/turn.ts";
import { createLogObserver } from "../src/observe/log-observer.ts";
import { createDeltaRedactor } from "../src/observe/redact-deltas.ts";
import { signReceipt } from "../src/receipts/sign.ts";
import { builtinTools } from "../src/tools/builtin/builtin-tools.ts";
import { createToolFetch } from "../src/tools/guarded-fetch.ts";
import { assembleTools } from "../src/tools/registry.ts";
import type { ScopedRegistry } from "../src/tools/scoped-registry.ts";
import type { Deployment } from "./deployment.ts";
import { systemPorts } from "./system-ports.ts";

export interface TurnParts {
  readonly deployment: Deployment;
  readonly turn: TurnRecord;
  readonly journal: TurnJournal;
  readonly scope: ReceiptScope;
}

/** Throws when the turn's agent is gone from the configuration: whoever accepted the turn checked that it was there. */
export function assembleExecution({ deployment, turn, journal, scope }: TurnParts): ResolvedAgentExecution {
  const agent = requireOf(deployment.config.agents, turn.agent);
  const { risk, runtime } = profilesOf(deployment, agent);
  const { keys, config } = deployment;
  return resolveAgentExecution({
    agent,
    risk,
    runtime,
    narrowing: turn.narrowing,
    model: bindModel(deployment, agent),
    registry: grantedTools(deployment, agent, turn.narrowing),
    maxActivatedTools: config.mcp.maxActivatedTools,
    createToolContext: (of) => createToolContext({ deployment, turn, journal, scope }, of),
    hooks: config.toolHooks,
    redactor: redactorFor(deployment, runtime),
    deltaFlushMs: config.limits.deltaFlushMs,
    ports: systemPorts,
    // Rendering for an observer costs time on every call; below `debug` nobody reads it.
    ...(config.observability.logLevel === "debug" ? { observe: createLogObserver(systemPorts.log) } : {}),
    ...(agent.toolReceipts.enabled ? { signReceipt: (body) => signReceipt(keys, scope, body) } : {}),
  });
}

/** What streams is redacted as it streams, unless the profile says that events are not. */
function redactorFor({ redactor }: Deployment, { redactEvents }: RuntimeProfile): ResolvedAgentExecution["redactor"] {
  const { text, value } = redactor;
  return { text, value, deltas: () => (redactEvents ? createDeltaRedactor(redactor) : asItCame) };
}

const asItCame = { push: (text: string) => text, end: () => "" };

/** Also what `GET /v1/tools` lists: the same function for a turn and for the question what a turn would get. */
export function grantedTools(deployment: Deployment, agent: AgentProfile, narrowing: TurnNarrowing): ScopedRegistry {
  const { config, tools: configured } = deployment;
  const { risk, runtime } = profilesOf(deployment, agent);
  return assembleTools({
    agent,
    risk,
    runtime,
    builtins: builtinTools,
    configured,
    bundles: config.toolBundles,
    mcp: config.mcp,
    narrowing,
  });
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

function createToolContext({ deployment, turn, journal, scope }: TurnParts, of: ToolContextOf): ToolContext {
  const { config, egress, secrets } = deployment;
  const { log } = systemPorts;
  const ids = { turn: turn.id, call: of.callId };
  return {
    signal: of.signal,
    tenant: scope.tenant,
    conversation: scope.conversation,
    turn: turn.id,
    callId: of.callId,
    agent: turn.agent,
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
    ...(of.readsResults ? { readResult: (range: ResultRange) => journal.readResult(range) } : {}),
  };
}
