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
