/** Pinning: an execution as it was when its turn was suspended, less what the configuration has taken away since. Rules: RX7. */
import type { RiskProfile } from "../../contracts/agent-profile.ts";
import type { ToolRegistry } from "../../contracts/tool.ts";
import { stricterLevel } from "../../policy/autonomy-level.ts";
import type { ResolvedAgentExecution } from "./resolved-agent-execution.ts";
import type { RuntimeKnobs } from "./runtime-knobs.ts";

export interface PinnedExecution {
  readonly knobs: RuntimeKnobs;
  readonly risk: RiskProfile;
  /** Names of the tools that were granted. */
  readonly granted: readonly string[];
}

/** Pinned to the turn's start: what the configuration says now may narrow it, and never widens it. */
export function pinExecution(now: ResolvedAgentExecution, then: PinnedExecution): ResolvedAgentExecution {
  return {
    ...now,
    knobs: then.knobs,
    risk: narrowRisk(then.risk, now.risk),
    registry: narrowRegistry(now.registry, new Set(then.granted)),
  };
}

function narrowRisk(then: RiskProfile, now: RiskProfile): RiskProfile {
  return {
    ...then,
    level: stricterLevel(then.level, now.level),
    autoApprove: then.autoApprove.filter((pattern) => now.autoApprove.includes(pattern)),
    alwaysAsk: [...new Set([...then.alwaysAsk, ...now.alwaysAsk])],
    excludedTools: [...new Set([...then.excludedTools, ...now.excludedTools])],
  };
}

/** Of the registry, what is named here. */
export function narrowRegistry(registry: ToolRegistry, granted: ReadonlySet<string>): ToolRegistry {
  return {
    visible: registry.visible.filter(({ definition }) => granted.has(definition.name)),
    resolve: (name, circumstances) => {
      const resolution = registry.resolve(name, circumstances);
      if (resolution.kind !== "granted" || granted.has(resolution.tool.definition.name)) return resolution;
      return { kind: "not_available" };
    },
  };
}
