/** Signing: turns what is known of a succeeded call into a receipt chained to the one before it. Rules: RE3, RE4. */
import type { LastReceipt, ReceiptBody, ReceiptScope, SignedReceipt } from "../contracts/receipt.ts";
import { canonicalJson } from "./canonical-json.ts";
import { digestText, utf8 } from "./digest.ts";
import { formatReceiptToken } from "./format.ts";
import type { ScopeKeys } from "./receipt-scope.ts";

/** Version and key id are the signer's to say. */
export type UnsignedReceipt = Omit<ReceiptBody, "v" | "kid">;

/**
 * The bytes under the MAC: a label that no other use of the key shares, NUL, canonical JSON. Members are named one by one,
 * so whatever else a row carries stays out.
 */
export function encodeReceiptPayload(body: ReceiptBody): Uint8Array {
  const { v, kid, tenant, conversation, turn, call, seq, tool, tool_def, args, result, result_chars, shown, at, prev } =
    body;
  const signed = {
    v,
    kid,
    tenant,
    conversation,
    turn,
    call,
    seq,
    tool,
    tool_def,
    args,
    result,
    result_chars,
    shown,
    at,
    prev,
  };
  return utf8(`countersign/receipt/v1\0${canonicalJson(signed)}`);
}

/** Throws when the body is of another tenant or conversation than the scope: such a receipt could never be found again. */
export function signReceipt(keys: ScopeKeys, scope: ReceiptScope, unsigned: UnsignedReceipt): SignedReceipt {
  if (unsigned.tenant !== scope.tenant || unsigned.conversation !== scope.conversation) {
    throw new Error("a receipt is signed under its own scope only");
  }
  const body: ReceiptBody = { ...unsigned, v: 1, kid: keys.active };
  const makeTag = keys.tagFor(keys.active, scope);
  if (makeTag === undefined) throw new Error("the signing key is not among the master keys");
  return { body, token: formatReceiptToken({ at: body.at, tag: makeTag(encodeReceiptPayload(body)) }) };
}

/** The place of the next receipt of a scope: after its last one, or at the beginning. */
export const headAfter = (last: LastReceipt | undefined): Pick<ReceiptBody, "seq" | "prev"> =>
  last === undefined ? { seq: 1, prev: "genesis" } : { seq: last.seq + 1, prev: digestText(last.token) };
