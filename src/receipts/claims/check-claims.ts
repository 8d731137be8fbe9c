/** The claim check: what a text says about tools, held against the calls of its turn; words and rows alone, no model. Rules: RE10. */
import type { ClaimFinding } from "../../contracts/text-check.ts";
import { checkAbsenceClaims } from "./absence-claims.ts";
import { splitClauses } from "./clauses.ts";
import { checkCountClaims } from "./count-claims.ts";
import { checkSourceClaims, type SourceClaims } from "./source-claims.ts";
import { checkToolClaims, type ToolClaims } from "./tool-claims.ts";

/** `runs` are all calls of the turn that have ended, in any order. */
export type ClaimEvidence = ToolClaims & SourceClaims;

/** A text that says doubtful things all over is described by the first of them. */
const MOST_FINDINGS = 20;

/** In the order of the text. It reads four languages, and tells what it doubts; it never changes a word. */
export function checkClaims(text: string, evidence: ClaimEvidence): readonly ClaimFinding[] {
  const clauses = splitClauses(text);
  return [
    ...checkToolClaims(clauses, evidence),
    ...checkCountClaims(clauses, evidence.runs),
    ...checkAbsenceClaims(clauses, evidence.runs),
    ...checkSourceClaims(clauses, evidence),
  ]
    .toSorted((one, other) => one.start - other.start)
    .slice(0, MOST_FINDINGS);
}
