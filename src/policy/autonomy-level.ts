/** Autonomy levels and their order. Rules: AP1, RX7, RX13. */
import type { AutonomyLevel } from "../contracts/agent-profile.ts";

const strictness: Readonly<Record<AutonomyLevel, number>> = { full: 0, supervised: 1, read_only: 2 };

export const stricterLevel = (one: AutonomyLevel, other: AutonomyLevel): AutonomyLevel =>
  strictness[other] > strictness[one] ? other : one;
