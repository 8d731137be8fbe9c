/** Delegation: whom an agent may hand a task to, and what policy that agent then works under. Rules: RX13, RX14, DG2, DG3. */
import type { AgentProfile, RiskProfile } from "../contracts/agent-profile.ts";
import type { Tool } from "../contracts/tool.ts";
import { stricterLevel } from "./autonomy-level.ts";
import { matchesAny } from "./name-pattern.ts";

/** The one tool that the loop runs itself: what it starts is a frame of the turn. */
export const isDelegate = ({ origin }: Pick<Tool, "origin">): boolean => origin === "delegate";

export interface DelegationQuestion {
  readonly caller: Pick<AgentProfile, "alias" | "riskProfile" | "delegates" | "delegateSameRiskProfile">;
  readonly policy: Pick<RiskProfile, "delegationPolicy">;
  /** Frames that may still be opened below the caller's. */
  readonly depthLeft: number;
}

/** Aliases in the order of the configuration. The target's own settings cannot add a caller. */
export function reachableDelegates(
  agents: Iterable<Pick<AgentProfile, "alias" | "enabled" | "riskProfile">>,
  { caller, policy, depthLeft }: DelegationQuestion,
): readonly string[] {
  if (policy.delegationPolicy.mode === "forbidden" || depthLeft <= 0) return [];
  return [...agents]
    .filter(({ enabled, alias }) => enabled && alias !== caller.alias)
    .filter(
      ({ alias, riskProfile }) =>
        caller.delegates.includes(alias) || (caller.delegateSameRiskProfile && riskProfile === caller.riskProfile),
    )
    .map(({ alias }) => alias);
}

/** Both policies at once: whatever either takes away is gone. `tools`: names of what the caller has. */
export function intersectRisk(caller: RiskProfile, target: RiskProfile, tools: readonly string[]): RiskProfile {
  const both = [caller, target];
  return {
    ...target,
    level: stricterLevel(caller.level, target.level),
    autoApprove: approvedByBoth(caller, target, tools),
    alwaysAsk: unionOf(caller.alwaysAsk, target.alwaysAsk),
    excludedTools: unionOf(caller.excludedTools, target.excludedTools),
    // Where the caller's approvals go elsewhere than to whoever asked, those of its delegates do, too.
    approvalRoute: caller.approvalRoute ?? target.approvalRoute,
    delegationPolicy: both.find(({ delegationPolicy }) => delegationPolicy.mode === "forbidden")?.delegationPolicy ?? {
      mode: "allow",
    },
    mcpAutoAdmit: both.every(({ mcpAutoAdmit }) => mcpAutoAdmit),
    onDefinitionChange: both.some(({ onDefinitionChange }) => onDefinitionChange === "disable") ? "disable" : "allow",
  };
}

/** Patterns of two lists have no common pattern, so the tools are named: those that both run unasked. */
const approvedByBoth = (caller: RiskProfile, target: RiskProfile, tools: readonly string[]): readonly string[] =>
  tools.filter(
    // A name with a star in it would stand for others.
    (name) => !name.includes("*") && matchesAny(caller.autoApprove, name) && matchesAny(target.autoApprove, name),
  );

const unionOf = (one: readonly string[], other: readonly string[]): readonly string[] => [
  ...new Set([...one, ...other]),
];
