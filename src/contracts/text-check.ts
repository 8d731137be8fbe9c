/** The check of a final text: its receipts, what it says of tools, and what that was held against. Rules: RE10. */
import type { Disposition } from "./call.ts";

/** A call of a turn, as far as what is said about it can be held against it. */
export interface ToolRun {
  /** Real name. */
  readonly tool: string;
  readonly disposition: Disposition;
  /** As JSON. */
  readonly args: string;
  /** What the model was shown of the result. */
  readonly shown: string;
  readonly truncated: boolean;
  readonly receipt?: string;
}

export const claimKinds = ["fabricated_tool", "count_mismatch", "false_absence", "unknown_source"] as const;
/**
 * `fabricated_tool`: a tool is said to have run that has no receipt. `count_mismatch`: another number of results than there are.
 * `false_absence`: nothing is said to have been found, and there is something. `unknown_source`: a link that no result has.
 */
export type ClaimKind = (typeof claimKinds)[number];

/** Something that a text says about tools and that the calls of its turn do not bear out. A hint, not a proof. */
export interface ClaimFinding {
  readonly kind: ClaimKind;
  /** The words in question, and where they stand in the text in UTF-16 units. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** What it was held against. */
  readonly receipts: readonly string[];
  /** 0 to 1, by kind and wording. */
  readonly confidence: number;
}

/** What the check of a turn's final text came to; each receipt counts once (RE10). */
export interface TextCheck {
  /** How many of its receipts are genuine ones of this scope. */
  readonly quoted: number;
  /** Everything else that is receipt-shaped, in the order of the text. */
  readonly fabricated: readonly string[];
  readonly claims: readonly ClaimFinding[];
}
