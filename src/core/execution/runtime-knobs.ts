/** Runtime knobs: the profile's numbers and switches, narrowed by the run, pinned for the turn. Rules: RX5–RX7. */
import type { RuntimeProfile } from "../../contracts/agent-profile.ts";
import type { TurnNarrowing } from "../../contracts/turn.ts";

const ITERATIONS_WHEN_ZERO = 10;

export interface RuntimeKnobs extends RuntimeProfile {
  /** Tokens of history that may be sent; 0 is off (RX6). */
  readonly contextBudget: number;
  readonly approvals: "prompt" | "deny";
}

/** The stricter of two limits of which 0 means "no limit". */
function stricterOf(profile: number, run: number | undefined): number {
  if (run === undefined || run === 0) return profile;
  return profile === 0 ? run : Math.min(profile, run);
}

/** A run's settings only ever take away from the profile's. */
export function resolveRuntimeKnobs(profile: RuntimeProfile, narrowing: TurnNarrowing): RuntimeKnobs {
  const iterations = profile.maxToolIterations === 0 ? ITERATIONS_WHEN_ZERO : profile.maxToolIterations;
  const pruning = profile.historyPruning;
  return Object.freeze({
    ...profile,
    maxToolIterations: stricterOf(iterations, narrowing.maxToolIterations),
    maxToolResultChars: stricterOf(profile.maxToolResultChars, narrowing.maxToolResultChars),
    parallelTools: profile.parallelTools && narrowing.parallelTools !== false,
    contextBudget: pruning.enabled ? stricterOf(profile.maxContextTokens, pruning.maxTokens) : profile.maxContextTokens,
    approvals: narrowing.approvals ?? "prompt",
  });
}
