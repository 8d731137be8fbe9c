/** The tenant's conversations, newest first, and the ids that were deleted and are never used again. Rules: G16, DU46, AU3. */
import type { FinalRecord } from "../../contracts/audit.ts";
import type { ConversationEntry, ConversationQuery, ConversationStatus, Page } from "../../contracts/tenant.ts";
import { insertRow, numberAt, textAt, updateRows } from "../rows.ts";
import type { SqlPort, SqlRow } from "../sql-port.ts";
import { putDeadline } from "./deadline-store.ts";
import { nextNumber, toPage } from "./numbered-page.ts";
import { moveConversationCount } from "./owner-store.ts";
import { keepForSweep } from "./sweep.ts";
import { openStatusTerm, openTurnsTerm } from "./tenant-schema.ts";

export const isDeleted = (sql: SqlPort, conversation: string): boolean =>
  sql.all("SELECT 1 FROM tombstones WHERE conversation = ?", conversation).length > 0;

export const isListed = (sql: SqlPort, conversation: string): boolean =>
  sql.all("SELECT 1 FROM conversations WHERE conversation = ?", conversation).length > 0;

/** Makes the entry if there is none. `at`, epoch milliseconds, can only widen the time between creation and last activity. */
export function touchConversation(
  sql: SqlPort,
  { conversation, agent, at }: { readonly conversation: string; readonly agent: string; readonly at: number },
): void {
  if (isListed(sql, conversation)) {
    sql.run(
      "UPDATE conversations SET created_ms = min(created_ms, ?), active_ms = max(active_ms, ?) WHERE conversation = ?",
      at,
      at,
      conversation,
    );
    return;
  }
  const n = nextNumber(sql, "conversations");
  insertRow(sql, "conversations", { n, conversation, agent, status: "idle", created_ms: at, active_ms: at });
  moveConversationCount(sql, 1);
}

/**
 * True for what is to be added up and was not heard before. A conversation tells its facts in order and repeats what it got no
 * answer to, so whatever is not beyond the last one has been counted.
 */
export const hearOnce = (sql: SqlPort, conversation: string, seq: number): boolean =>
  sql.run("UPDATE conversations SET heard = ? WHERE conversation = ? AND heard < ?", seq, conversation, seq);

const byUrgency: readonly ConversationStatus[] = ["running", "suspended", "queued"];

/** What its open turns make of it. One that was let in and not heard of since may never come: it makes nothing of it yet. */
export function settleStatus(sql: SqlPort, conversation: string): void {
  const states = sql
    .all(`SELECT DISTINCT state FROM turns WHERE conversation = ? AND ${openTurnsTerm}`, conversation)
    .map((row) => textAt(row, "state"));
  const status = byUrgency.find((candidate) => states.includes(candidate)) ?? "idle";
  sql.run("UPDATE conversations SET status = ? WHERE conversation = ? AND status <> ?", status, conversation, status);
}

/**
 * Its rows here go with it, but for money, which was spent all the same; the erasure of its own rows is due at once. Again: that
 * erasure is tried anew.
 */
export function buryConversation(sql: SqlPort, conversation: string, now: number): void {
  sql.run("INSERT OR IGNORE INTO tombstones (conversation, at_ms) VALUES (?, ?)", conversation, now);
  if (isListed(sql, conversation)) moveConversationCount(sql, -1);
  for (const table of ["conversations", "turns", "approvals"]) {
    sql.run(`DELETE FROM ${table} WHERE conversation = ?`, conversation);
  }
  putDeadline(sql, { kind: "erase", ref: conversation }, now);
  keepForSweep(sql, now);
}

/** Where the audit chain of a deleted conversation ended; the last one before it goes stands. */
export function keepFinalRecord(sql: SqlPort, conversation: string, record: FinalRecord): void {
  const { hash: head_hash, entries, receipts, turns } = record;
  updateRows(sql, { table: "tombstones", set: { head_hash, entries, receipts, turns }, where: { conversation } });
}

const toEntry = (row: SqlRow): ConversationEntry => ({
  n: numberAt(row, "n"),
  conversation: textAt(row, "conversation"),
  agent: textAt(row, "agent"),
  status: textAt(row, "status") as ConversationStatus,
  createdAt: numberAt(row, "created_ms"),
  activeAt: numberAt(row, "active_ms"),
});

/** Newest first by when they were first heard of; `before` is the `n` of the last one seen. */
export function listConversations(sql: SqlPort, query: ConversationQuery): Page<ConversationEntry> {
  const { before = Number.MAX_SAFE_INTEGER, limit, agent, status } = query;
  const conditions = [
    "n < ?",
    ...(agent === undefined ? [] : ["agent = ?"]),
    ...(status === undefined ? [] : ["status = ?"]),
    ...(status === undefined || status === "idle" ? [] : [openStatusTerm]),
  ];
  const given = [agent, status].filter((value) => value !== undefined);
  const rows = sql.all(
    `SELECT * FROM conversations WHERE ${conditions.join(" AND ")} ORDER BY n DESC LIMIT ?`,
    before,
    ...given,
    limit + 1,
  );
  return toPage(rows.map(toEntry), limit);
}
