/** Receipts: the signed body, the token, the scope whose key signs. Rules: RE2–RE4, RE7. */

/** The signed body. Its names are the wire's and the MAC's: they are never translated (RE3). */
export interface ReceiptBody {
  readonly v: 1;
  readonly kid: string;
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: string;
  readonly call: string;
  /** Place in the scope, from 1. */
  readonly seq: number;
  readonly tool: string;
  readonly tool_def: string;
  readonly args: string;
  readonly result: string;
  /** Code points of the raw output. */
  readonly result_chars: number;
  readonly shown: string;
  /** Epoch seconds. */
  readonly at: number;
  /** SHA-256 of the token before in this scope, or `"genesis"`. */
  readonly prev: string;
}

export interface SignedReceipt {
  readonly body: ReceiptBody;
  /** `zc-receipt-<at>-<43 base64url characters>` */
  readonly token: string;
}

/** Whose key signs: `scopeId` is the conversation, or `<conversation>/<turn>`; `salt` is 16 random bytes (RE2). */
export interface ReceiptScope {
  readonly tenant: string;
  readonly conversation: string;
  readonly scopeId: string;
  readonly salt: Uint8Array;
}

/** The newest receipt of a scope: what the next one is chained to. It outlives the receipt itself. */
export interface LastReceipt {
  readonly seq: number;
  readonly token: string;
}

/** Master keys by `kid`, 32 bytes each, and the one that signs. */
export interface ReceiptKeys {
  readonly active: string;
  readonly masters: ReadonlyMap<string, Uint8Array>;
}

export type ReceiptVerdict =
  | { readonly verdict: "valid"; readonly body: ReceiptBody }
  | { readonly verdict: "mismatch"; readonly fields: readonly string[] }
  | { readonly verdict: "unknown_receipt" | "unverifiable" | "malformed" };

/** What somebody claims about a receipt; whatever is given is checked (RE9). `arguments` is JSON, `result` raw text. */
export interface ReceiptClaim {
  readonly receipt: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly result?: string;
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
