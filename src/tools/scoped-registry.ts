/** ScopedRegistry: the granted tools of one agent and run, the one way from a name to a tool. Rules: RG10–RG12, TC2, TC16, SC18, SE58. */
import type { RiskProfile } from "../contracts/agent-profile.ts";
import type { Tool, ToolRegistry, ToolResolution } from "../contracts/tool.ts";
import { ruleApproval } from "../policy/approval-policy.ts";
import { TOOL_SEARCH, isBuiltin } from "../policy/builtin-tool.ts";

/** A tool as `GET /v1/tools` lists it, before it is spelled for the wire. */
export interface ToolListing {
  readonly tool: Tool;
  /** True when a call would need a person now; a predicate over arguments counts as one that may ask. */
  readonly prompts: boolean;
  readonly visible: boolean;
  readonly deferred: boolean;
  /** Why the tool takes no calls, when it takes none. */
  readonly disabled?: string;
}

export interface ScopedRegistry extends ToolRegistry {
  /** Granted, and with a schema that the provider in use does not take. */
  readonly unsendable: readonly Tool[];
  describe(): readonly ToolListing[];
}

export interface ScopedTools {
  /** In registry order, one of each name. */
  readonly loaded: readonly Tool[];
  /** The same of those that a search can load. */
  readonly stubs: readonly Tool[];
  /** Granted, and with a schema that the provider in use does not take. */
  readonly unsendable: readonly Tool[];
  /** Names that exist for this agent, but not in this run. */
  readonly withheld: readonly string[];
  readonly excludes: (name: string) => boolean;
  readonly rules: Pick<RiskProfile, "level" | "alwaysAsk" | "autoApprove">;
}

export function createScopedRegistry({
  loaded,
  stubs,
  unsendable,
  withheld,
  excludes,
  rules,
}: ScopedTools): ScopedRegistry {
  const known = new Map<string, ToolResolution>([
    ...[...withheld, ...unsendable.map(({ definition }) => definition.name)].map(
      (name) => [name, { kind: "not_available" }] as const,
    ),
    ...loaded.map((tool) => [tool.definition.name, { kind: "granted", tool }] as const),
    ...stubs.map((tool) => [tool.definition.name, { kind: "stub", tool }] as const),
  ]);
  const list = (tool: Tool, deferred: boolean) => ({
    tool,
    prompts: wouldPrompt(tool, rules),
    visible: true,
    deferred,
  });
  return Object.freeze({
    visible: Object.freeze([...loaded]),
    stubs: Object.freeze([...stubs]),
    resolve: (name: string): ToolResolution => known.get(name) ?? { kind: "unknown" },
    excludes,
    unsendable: Object.freeze([...unsendable]),
    describe: () => [
      ...loaded.filter((tool) => !isBuiltin(tool, TOOL_SEARCH)).map((tool) => list(tool, false)),
      ...stubs.map((tool) => list(tool, true)),
      ...unsendable.map((tool) => ({ ...list(tool, false), visible: false, disabled: UNSENDABLE })),
    ],
  });
}

/** Why `GET /v1/tools` says that such a tool is disabled. */
export const UNSENDABLE = "schema_not_sendable";

function wouldPrompt({ definition, needsApproval }: Tool, rules: ScopedTools["rules"]): boolean {
  const predicate = needsApproval === undefined ? "unasked" : "asks";
  return ruleApproval({ ...rules, tool: definition.name, predicate }).requirement === "prompt";
}
