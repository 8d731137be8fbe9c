/** assembleTools: the one function from configuration and a run's narrowing to the tools of a turn. Rules: RG1–RG8, RG10, TS2, TS3, TS10, TC29, DM1, DM3, SC18. */
import type { AgentProfile, RiskProfile, RuntimeProfile } from "../contracts/agent-profile.ts";
import type { McpSettings } from "../contracts/config/mcp.ts";
import type { Tool } from "../contracts/tool.ts";
import type { TurnNarrowing } from "../contracts/turn.ts";
import { MODEL_SWITCH, READ_RESULT, TOOL_SEARCH, isBuiltin } from "../policy/builtin-tool.ts";
import { matchesAny, matchesPattern } from "../policy/name-pattern.ts";
import {
  type Availability,
  type AvailabilityPolicy,
  type ToolBundle,
  availabilityOf,
  isExcluded,
} from "../policy/tool-availability.ts";
import { type ScopedRegistry, createScopedRegistry } from "./scoped-registry.ts";

export interface ToolSources {
  readonly agent: Pick<AgentProfile, "builtinTools" | "toolBundles" | "switchableModels">;
  readonly risk: RiskProfile;
  readonly runtime: Pick<RuntimeProfile, "readResultTool">;
  /** All built-ins there are, in the order in which they are offered. */
  readonly builtins: readonly Tool[];
  /** In file order. */
  readonly configured: readonly Tool[];
  /** When there is somebody to delegate to from here (RX14); it is no matter of `builtinTools`. */
  readonly delegate?: Tool;
  readonly bundles: ReadonlyMap<string, ToolBundle>;
  /** False for a tool that the provider in use cannot be sent: it exists, and takes no calls (SC18). */
  readonly isSendable?: (tool: Tool) => boolean;
  readonly mcp: Pick<McpSettings, "deferredLoading" | "deferredAutoMin">;
  /** Of the servers that the agent's bundles name, in their order. */
  readonly mcpTools?: readonly Tool[];
  /** Real names of those that may not be used as their servers list them now (TS18). */
  readonly mcpDisabled?: readonly string[];
  /** Of this one turn, in the order of its request; no bundle is about them (TC29). */
  readonly requestTools?: readonly Tool[];
  readonly narrowing?: TurnNarrowing;
  /** Of a delegate: what its caller has. It comes before anything is counted or deferred, so that both see the same stubs. */
  readonly within?: ReadonlySet<string>;
}

/** Pure: what it is given decides the tools and their order, and nothing else does. */
export function assembleTools(sources: ToolSources): ScopedRegistry {
  const {
    agent,
    risk,
    configured,
    mcp,
    mcpTools = [],
    mcpDisabled = [],
    requestTools = [],
    narrowing = {},
    within,
    isSendable = () => true,
  } = sources;
  const bundles = agent.toolBundles.map((name) => sources.bundles.get(name) ?? NOTHING);
  const policy: AvailabilityPolicy = {
    profile: risk,
    narrowing,
    bundles,
    ...(within === undefined ? {} : { within }),
  };
  const own = sources.delegate === undefined ? [] : [sources.delegate];
  const builtins = [...offeredBuiltins(sources), ...own];
  const tools = firstOfEachName([...builtins, ...inBundleOrder(configured, bundles), ...mcpTools, ...requestTools]);
  const judged = tools.map((tool) => ({ tool, availability: judge(tool, policy) }));
  const allowed = judged.filter(({ availability }) => availability === "granted").map(({ tool }) => tool);
  const granted = allowed.filter(isSendable);
  const unsendable = allowed.filter((tool) => !granted.includes(tool));
  const deferred = isDeferred(mcp, granted.filter(isForeign).length);
  const stubs = deferred ? granted.filter(isForeign) : [];
  // Without a stub there is nothing to search.
  const isIdle = (tool: Tool): boolean => stubs.length === 0 && isBuiltin(tool, TOOL_SEARCH);
  return createScopedRegistry({
    loaded: granted.filter((tool) => !(deferred && isForeign(tool)) && !isIdle(tool)),
    stubs,
    unsendable,
    withheld: [
      ...mcpDisabled,
      ...judged
        .filter(({ tool, availability }) => WITHHELD.has(availability) || isIdle(tool))
        .map(({ tool }) => tool.definition.name),
      // There is such a tool, though here it would lead to nobody.
      ...(sources.delegate === undefined ? ["delegate"] : []),
    ],
    excludes: (name) => isExcluded({ name }, policy),
    rules: risk,
  });
}

const isForeign = ({ origin }: Tool): boolean => origin === "mcp";

/** Policy comes first: what it takes away does not count (DM1). */
const isDeferred = ({ deferredLoading, deferredAutoMin }: ToolSources["mcp"], granted: number): boolean =>
  deferredLoading === "auto" ? granted > deferredAutoMin : deferredLoading;

const judge = ({ definition, origin, readOnly }: Tool, policy: AvailabilityPolicy): Availability =>
  availabilityOf({ name: definition.name, origin, readOnly }, policy);

/** What these take away exists for the agent, though not in this run; what is in none of its bundles does not exist for it. */
const WITHHELD: ReadonlySet<Availability> = new Set(["not_allowed", "level", "narrowed", "excluded"]);

/** A bundle nobody defined grants nothing; it does not widen the agent to all tools either. */
const NOTHING: ToolBundle = { tools: [], exclude: [] };

/** `read_result` is switched on by the runtime profile, `tool_search` by deferred loading, the others by the agent; there must be a model to switch to. */
function offeredBuiltins({ agent, runtime, mcp, builtins }: ToolSources): readonly Tool[] {
  return builtins.filter(({ definition: { name } }) => {
    if (name === READ_RESULT) return runtime.readResultTool;
    if (name === MODEL_SWITCH && agent.switchableModels.length === 0) return false;
    return name === TOOL_SEARCH ? mcp.deferredLoading !== false : matchesAny(agent.builtinTools, name);
  });
}

/** As the bundles name them, each tool where it is named first; in file order when the agent has no bundle. */
function inBundleOrder(configured: readonly Tool[], bundles: readonly ToolBundle[]): readonly Tool[] {
  if (bundles.length === 0) return configured;
  return bundles.flatMap(({ tools }) =>
    tools.flatMap((pattern) => configured.filter(({ definition }) => matchesPattern(pattern, definition.name))),
  );
}

function firstOfEachName(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) if (!byName.has(tool.definition.name)) byName.set(tool.definition.name, tool);
  return [...byName.values()];
}
