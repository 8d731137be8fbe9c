/** The inbox: open approvals of all the tenant's conversations, as far as they have been heard of. Rules: DU42. */
import type { InboxEntry, Page } from "../../contracts/tenant.ts";
import type { ApprovalView } from "../../contracts/verbs.ts";
import { bytesAt, insertRow, numberAt, textAt } from "../rows.ts";
import type { SqlPort, SqlRow, SqlValue } from "../sql-port.ts";
import { decodeJson, encodeJson } from "../utf8.ts";
import { nextNumber, toPage } from "./numbered-page.ts";
import { keepForSweep } from "./sweep.ts";
import { openInboxTerm } from "./tenant-schema.ts";

interface ApprovalFact {
  readonly conversation: string;
  readonly approvalId: string;
  readonly seq: number;
}

export function openApproval(sql: SqlPort, conversation: string, fact: { approval: ApprovalView; seq: number }): void {
  const { approval, seq } = fact;
  const { approvalId, expiresAt } = approval;
  putFact(
    sql,
    { conversation, approvalId, seq },
    { state: "pending", expires_ms: expiresAt, body: encodeJson(approval) },
  );
}

/** Also remembered of one whose opening was not heard of: that may still be on its way. `at` is epoch milliseconds. */
export function closeApproval(sql: SqlPort, fact: ApprovalFact, { state, at }: { state: string; at: number }): void {
  putFact(sql, fact, { state, closed_ms: at, body: null });
  keepForSweep(sql, at);
}

function putFact(sql: SqlPort, { conversation, approvalId, seq }: ApprovalFact, facts: Record<string, SqlValue>): void {
  const [known] = sql.all(
    "SELECT n, seq FROM approvals WHERE conversation = ? AND approval_id = ?",
    conversation,
    approvalId,
  );
  if (known !== undefined && numberAt(known, "seq") >= seq) return;
  const n = known === undefined ? nextNumber(sql, "approvals") : numberAt(known, "n");
  sql.run("DELETE FROM approvals WHERE n = ?", n);
  insertRow(sql, "approvals", { n, conversation, approval_id: approvalId, seq, ...facts });
}

const toInboxEntry = (row: SqlRow): InboxEntry => ({
  n: numberAt(row, "n"),
  conversation: textAt(row, "conversation"),
  approval: decodeJson(bytesAt(row, "body")) as ApprovalView,
});

/** Newest first. What has expired is open no more, whether or not its conversation has said so yet. */
export function listInbox(
  sql: SqlPort,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before?: number; readonly limit: number },
  now: number,
): Page<InboxEntry> {
  const rows = sql.all(
    `SELECT * FROM approvals WHERE ${openInboxTerm} AND n < ? AND expires_ms > ? ORDER BY n DESC LIMIT ?`,
    before,
    now,
    limit + 1,
  );
  return toPage(rows.map(toInboxEntry), limit);
}

export function countOpenApprovals(sql: SqlPort): number {
  const [row] = sql.all(`SELECT count(*) AS open FROM approvals WHERE ${openInboxTerm}`);
  return row === undefined ? 0 : numberAt(row, "open");
}
