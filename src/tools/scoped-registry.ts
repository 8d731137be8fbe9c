/** ScopedRegistry: the granted tools of one agent and run, the one way from a name to a tool. Rules: RG10–RG12, TC2, TC16, SE58. */
import type { RiskProfile } from "../contracts/agent-profile.ts";
import type { Tool, ToolRegistry, ToolResolution } from "../contracts/tool.ts";
import { ruleApproval } from "../policy/approval-policy.ts";
import { suggestNames } from "./suggest-names.ts";

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
  describe(): readonly ToolListing[];
}

export interface ScopedTools {
  /** In registry order, one of each name. */
  readonly granted: readonly Tool[];
  /** Names that exist for this agent, but not in this run. */
  readonly withheld: readonly string[];
  readonly rules: Pick<RiskProfile, "level" | "alwaysAsk" | "autoApprove">;
}

export function createScopedRegistry({ granted, withheld, rules }: ScopedTools): ScopedRegistry {
  const byName = new Map(granted.map((tool) => [tool.definition.name, tool]));
  const hidden = new Set(withheld);
  const visible = Object.freeze([...granted]);
  return Object.freeze({
    visible,
    resolve(name: string): ToolResolution {
      const tool = byName.get(name);
      if (tool !== undefined) return { kind: "granted", tool };
      if (hidden.has(name)) return { kind: "not_available" };
      return { kind: "unknown", suggestions: suggestNames(name, [...byName.keys()]) };
    },
    describe: () =>
      visible.map((tool) => ({ tool, prompts: wouldPrompt(tool, rules), visible: true, deferred: false })),
  });
}

function wouldPrompt({ definition, needsApproval }: Tool, rules: ScopedTools["rules"]): boolean {
  const predicate = needsApproval === undefined ? "unasked" : "asks";
  return ruleApproval({ ...rules, tool: definition.name, predicate }).requirement === "prompt";
}
