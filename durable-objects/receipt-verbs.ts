/** Receipt verbs: list them, show one, verify a claim about one. Rules: RE7, RE9. */
import type { ReceiptClaim, ReceiptVerdict } from "../src/contracts/receipt.ts";
import type { ReceiptView } from "../src/contracts/verbs.ts";
import { verifyReceipt } from "../src/receipts/verify.ts";
import { findReceipt, listReceipts, readScopeSalt, type StoredReceipt } from "../src/storage/receipt-store.ts";
import type { ConversationParts } from "./conversation-parts.ts";

export function pageReceipts(
  { store: { sql } }: ConversationParts,
  page: { readonly after: number; readonly limit: number },
): readonly ReceiptView[] {
  return listReceipts(sql, page).map(toView);
}

/** The scope stays inside. */
const toView = ({ receipt, callId, n }: StoredReceipt): ReceiptView => ({ receipt, callId, n });

export function readReceipt({ store: { sql } }: ConversationParts, token: string): ReceiptView | undefined {
  const stored = findReceipt(sql, token);
  return stored && toView(stored);
}

export function judgeClaim(
  { store: { sql }, owner, deployment }: ConversationParts,
  claim: ReceiptClaim,
): ReceiptVerdict {
  const stored = findReceipt(sql, claim.receipt);
  const salt = stored && readScopeSalt(sql, stored.scopeId);
  return verifyReceipt({
    keys: deployment.keys,
    claim,
    ...(stored === undefined ? {} : { body: stored.receipt.body }),
    ...(stored === undefined || salt === undefined ? {} : { scope: { ...owner, scopeId: stored.scopeId, salt } }),
  });
}
