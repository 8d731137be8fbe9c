/** Precision and recall of the claim check over generated cases. */
import { type ClaimKind, claimKinds } from "../../../src/contracts/text-check.ts";
import { checkClaims } from "../../../src/receipts/claims/check-claims.ts";
import type { ClaimCase } from "./claim-cases.ts";

export interface Measure {
  /** Of the false claims, how many were found. */
  readonly recall: number;
  /** Of what was found, how much was false indeed. */
  readonly precision: number;
}

export function measureClaims(cases: readonly ClaimCase[]): Readonly<Record<ClaimKind, Measure>> {
  const measured = claimKinds.map((kind) => {
    let right = 0;
    let missed = 0;
    let wrong = 0;
    for (const { text, evidence, about, isFalse } of cases) {
      const found = checkClaims(text, evidence).some((finding) => finding.kind === kind);
      const expected = isFalse && about === kind;
      if (found && expected) right += 1;
      else if (found) wrong += 1;
      else if (expected) missed += 1;
    }
    return [kind, { recall: right / (right + missed), precision: right / (right + wrong) }] as const;
  });
  return Object.fromEntries(measured) as Record<ClaimKind, Measure>;
}
