/** Delegation as policy: who can be reached, and what both policies allow, whatever they say. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AutonomyLevel, RiskProfile } from "../../src/contracts/agent-profile.ts";
import { riskProfileSchema } from "../../src/contracts/config/risk-profile.ts";
import { intersectRisk, reachableDelegates } from "../../src/policy/delegation.ts";
import { matchesAny, matchesExcluded } from "../../src/policy/name-pattern.ts";

const allow = { delegationPolicy: { mode: "allow" } } as const;
const forbid = { delegationPolicy: { mode: "forbidden" } } as const;
const agent = (alias: string, riskProfile = "r", enabled = true) => ({ alias, riskProfile, enabled });
const caller = { alias: "ada", riskProfile: "r", delegates: [] as readonly string[], delegateSameRiskProfile: true };

describe("who can be reached", () => {
  const all = [agent("zed"), agent("ada"), agent("ben", "other"), agent("cy", "r", false), agent("dot")];

  test("[DG2][RX14] enabled agents of the same profile in config order, never the caller itself", () => {
    expect(reachableDelegates(all, { caller, policy: allow, depthLeft: 1 })).toEqual(["zed", "dot"]);
  });

  test.each([
    ["a named one of another profile", { delegates: ["ben"] }, ["zed", "ben", "dot"]],
    ["a named one alone", { delegates: ["ben"], delegateSameRiskProfile: false }, ["ben"]],
    ["a named one that is disabled", { delegates: ["cy"], delegateSameRiskProfile: false }, []],
    ["itself, named", { delegates: ["ada"], delegateSameRiskProfile: false }, []],
    ["nobody", { delegateSameRiskProfile: false }, []],
  ])("[DG2] %s", (_what, changes, reached) => {
    expect(reachableDelegates(all, { caller: { ...caller, ...changes }, policy: allow, depthLeft: 3 })).toEqual(
      reached,
    );
  });

  test.each([
    ["forbidden", forbid, 3],
    ["no depth left", allow, 0],
  ])("[RX14] nobody with %s", (_what, policy, depthLeft) => {
    expect(reachableDelegates(all, { caller, policy, depthLeft })).toEqual([]);
  });
});

describe("what both allow", () => {
  const names = ["files__read", "files__write", "shell", "a*b"] as const;
  const levels: readonly AutonomyLevel[] = ["read_only", "supervised", "full"];
  const anyPatterns = fc.subarray(["*", "files__*", "*read", ...names]);
  const base = riskProfileSchema.parse({});
  const anyRisk: fc.Arbitrary<RiskProfile> = fc
    .record({
      level: fc.constantFrom(...levels),
      autoApprove: anyPatterns,
      alwaysAsk: anyPatterns,
      excludedTools: anyPatterns,
      delegationPolicy: fc.constantFrom(allow.delegationPolicy, forbid.delegationPolicy),
      mcpAutoAdmit: fc.boolean(),
      onDefinitionChange: fc.constantFrom("disable", "allow"),
    })
    .map((changes) => ({ ...base, ...changes }));

  test("[DG3][RX13][RG6] the lower level, every exclusion, every rule to ask, and unasked only what both run unasked", () => {
    fc.assert(
      fc.property(anyRisk, anyRisk, (one, other) => {
        const both = intersectRisk(one, other, names);
        const rank = ({ level }: RiskProfile): number => levels.indexOf(level);
        expect(rank(both)).toBe(Math.min(rank(one), rank(other)));
        for (const name of names) {
          const inAny = (of: (risk: RiskProfile) => boolean): boolean => of(one) || of(other);
          expect(matchesExcluded(both.excludedTools, name)).toBe(
            inAny(({ excludedTools }) => matchesExcluded(excludedTools, name)),
          );
          expect(matchesAny(both.alwaysAsk, name)).toBe(inAny(({ alwaysAsk }) => matchesAny(alwaysAsk, name)));
          const asksInAny = inAny(({ autoApprove }) => !matchesAny(autoApprove, name));
          expect(matchesAny(both.autoApprove, name)).toBe(!asksInAny && !name.includes("*"));
        }
        const forbids = ({ delegationPolicy }: RiskProfile): boolean => delegationPolicy.mode === "forbidden";
        expect(forbids(both)).toBe(forbids(one) || forbids(other));
        expect(both.mcpAutoAdmit).toBe(one.mcpAutoAdmit && other.mcpAutoAdmit);
        expect(both.onDefinitionChange === "disable").toBe(
          [one, other].some(({ onDefinitionChange }) => onDefinitionChange === "disable"),
        );
      }),
    );
  });

  test("[DG3] patterns of both lists meet in the names that both match; a name with a star stands for no other", () => {
    const both = intersectRisk(
      { ...base, autoApprove: ["files__*", "a*b"] },
      { ...base, autoApprove: ["*read", "a*b"] },
      names,
    );
    expect(both.autoApprove).toEqual(["files__read"]);
  });
});
