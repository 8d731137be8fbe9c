/** Pinning: an execution as it was when its turn was suspended, less what the configuration has taken away since. Rules: RX7. */
import type { RiskProfile } from "../../contracts/agent-profile.ts";
import type { Tool, ToolRegistry } from "../../contracts/tool.ts";
import { stricterLevel } from "../../policy/autonomy-level.ts";
import { matchesExcluded } from "../../policy/name-pattern.ts";
import type { ResolvedAgentExecution } from "./resolved-agent-execution.ts";
import type { RuntimeKnobs } from "./runtime-knobs.ts";

export interface PinnedExecution {
  readonly knobs: RuntimeKnobs;
  readonly risk: RiskProfile;
  /** Names of the tools that were granted, stubs among them. */
  readonly granted: readonly string[];
  /** Agents that the frame could delegate to. */
  readonly reachable: readonly string[];
}

/** Pinned to the turn's start: what the configuration says now may narrow it, and never widens it. */
export function pinExecution(now: ResolvedAgentExecution, then: PinnedExecution): ResolvedAgentExecution {
  return Object.freeze({
    ...now,
    knobs: then.knobs,
    risk: narrowRisk(then.risk, now.risk),
    registry: narrowRegistry(now.registry, then),
    delegates: {
      ...now.delegates,
      reachable: now.delegates.reachable.filter((alias) => then.reachable.includes(alias)),
    },
  });
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

/** Of the registry, what is named here and not excluded by these rules. */
export function narrowRegistry(
  registry: ToolRegistry,
  { granted: names, risk }: Pick<PinnedExecution, "granted" | "risk">,
): ToolRegistry {
  const granted = new Set(names);
  const wasGranted = ({ definition }: Tool): boolean => granted.has(definition.name);
  return {
    // Asked each time: what lies below may become less while the turn runs.
    get visible() {
      return registry.visible.filter(wasGranted);
    },
    get stubs() {
      return registry.stubs.filter(wasGranted);
    },
    resolve: (name) => {
      const resolution = registry.resolve(name);
      return !("tool" in resolution) || wasGranted(resolution.tool) ? resolution : { kind: "not_available" };
    },
    excludes: (name) => registry.excludes(name) || matchesExcluded(risk.excludedTools, name),
  };
}

export const grantedNames = ({ visible, stubs }: ToolRegistry): readonly string[] =>
  [...visible, ...stubs].map(({ definition }) => definition.name);
