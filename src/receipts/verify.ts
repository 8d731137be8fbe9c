/** Verification: judges a token against its stored body, then whatever is claimed about the call. Rules: RE7, RE8, RE9. */
import type { JsonValue } from "../contracts/json.ts";
import type { ReceiptBody, ReceiptClaim, ReceiptScope, ReceiptVerdict, SignedReceipt } from "../contracts/receipt.ts";
import { digestJson, digestText } from "./digest.ts";
import { parseReceiptToken } from "./format.ts";
import type { ScopeKeys } from "./receipt-scope.ts";
import { encodeReceiptPayload } from "./sign.ts";

export interface ReceiptCheck {
  readonly keys: ScopeKeys;
  readonly claim: ReceiptClaim;
  /** The body stored with exactly this token in the caller's conversation; absent when there is none. */
  readonly body?: ReceiptBody;
  /** Absent when its salt was erased or the row is past its retention. */
  readonly scope?: ReceiptScope;
}

/** Differing fields are named as in the claim; `receipt` stands for a body that the token does not sign. */
export function verifyReceipt(check: ReceiptCheck): ReceiptVerdict {
  try {
    return judge(check);
  } catch {
    return { verdict: "unverifiable" };
  }
}

/** Whether a token signs a body under this scope, as a question to ask of many. */
export const judgeBy =
  (keys: ScopeKeys, scope: ReceiptScope) =>
  ({ token, body }: SignedReceipt): boolean =>
    verifyReceipt({ keys, scope, body, claim: { receipt: token } }).verdict === "valid";

function judge({ keys, claim, body, scope }: ReceiptCheck): ReceiptVerdict {
  const token = parseReceiptToken(claim.receipt);
  if (token === undefined) return { verdict: "malformed" };
  if (body === undefined) return { verdict: "unknown_receipt" };
  const makeTag = scope === undefined ? undefined : keys.tagFor(body.kid, scope);
  if (scope === undefined || makeTag === undefined) return { verdict: "unverifiable" };
  // The key says which tenant and scope it is for; that the body lies where it says is for us to see.
  const isAtHome = body.tenant === scope.tenant && body.conversation === scope.conversation;
  const signed = isEqualTag(makeTag(encodeReceiptPayload(body)), token.tag) && body.at === token.at;
  if (!isAtHome || !signed) return { verdict: "mismatch", fields: ["receipt"] };
  const fields = differingFields(claim, body);
  return fields.length === 0 ? { verdict: "valid", body } : { verdict: "mismatch", fields };
}

function differingFields(claim: ReceiptClaim, body: ReceiptBody): string[] {
  const fields: string[] = [];
  if (claim.tool !== undefined && claim.tool !== body.tool) fields.push("tool");
  const claimed = claim.arguments === undefined ? body.args : claimedDigest(claim.arguments);
  if (claimed !== body.args) fields.push("arguments");
  if (claim.result !== undefined && claimedResult(claim.result) !== body.result) fields.push("result");
  return fields;
}

/** `undefined` for what has no canonical form, and so cannot have been signed. */
function claimedDigest(claimed: unknown): string | undefined {
  try {
    return digestJson(claimed as JsonValue);
  } catch {
    return undefined;
  }
}

const claimedResult = (text: string): string | undefined => (text.isWellFormed() ? digestText(text) : undefined);

/** Looks at every byte whatever differs, so the time taken tells nothing about the right tag. */
export function isEqualTag(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
}
