/** Cost meter: the budget of a runtime profile, held in the tenant's object. Rules: LC30, SE80. */
import type { RuntimeProfile } from "../src/contracts/agent-profile.ts";
import type { CostMeter } from "../src/contracts/ports.ts";
import type { BudgetLimits } from "../src/contracts/tenant.ts";
import { unreachable } from "../src/http/reach-object.ts";
import type { TenantPort } from "./tenant-port.ts";

/** Absent when the profile meters nothing. */
export function budgetOf({ cost }: Pick<RuntimeProfile, "cost">): BudgetLimits | undefined {
  const { enabled, dailyLimitUsd, monthlyLimitUsd } = cost;
  return enabled ? { dailyLimitUsd, monthlyLimitUsd } : undefined;
}

export const createCostMeter = (tenant: Pick<TenantPort, "reserve">, limits: BudgetLimits): CostMeter => ({
  reserve: async ({ reservation, estimateUsd }) => {
    const reserved = await tenant.reserve({ reservation, estimateUsd, limits });
    if (reserved.ok) return "granted";
    return reserved.failure.slug === unreachable.slug ? "unreachable" : "full";
  },
});
