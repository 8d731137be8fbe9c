/** The audit chain on the wire: entries exactly as they are hashed, pages of them, what is exported with them. Rules: AU1, AU2. */
import type { AuditEntry } from "../contracts/audit.ts";
import type { SignedReceipt } from "../contracts/receipt.ts";
import type { AuditPage } from "../contracts/verbs.ts";
import { conversationPath } from "./paths.ts";

type Document = Record<string, unknown>;

/** Times stay epoch milliseconds: they are under the hash. */
export const encodeAuditEntry = ({ seq, at, kind, subject, data, prev, hash }: AuditEntry): Document => ({
  seq,
  at,
  kind,
  subject,
  data,
  prev,
  hash,
});

export function encodeAuditPage(
  conversation: string,
  { entries, head, verdict }: AuditPage,
  page: { readonly after: number },
): Document {
  const last = entries.at(-1)?.seq ?? page.after;
  return {
    entries: entries.map(encodeAuditEntry),
    next_after: last,
    more: last < head.seq,
    head_hash: head.hash,
    ...(verdict === undefined ? {} : { verification: verdict }),
    links: { export: `${conversationPath(conversation)}/audit?export=1` },
  };
}

/** With the scope under whose key it was signed. */
export const encodeExportedReceipt = (stored: {
  readonly receipt: SignedReceipt;
  readonly scopeId: string;
}): Document => ({ receipt: stored.receipt.token, scope: stored.scopeId, body: stored.receipt.body });
