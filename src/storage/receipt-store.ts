/** Receipts and their scopes: each scope's salt and head outlive the receipt rows. Rules: RE2, RE3, RE9, G15. */
import type { IssuedReceipt } from "../contracts/turn.ts";
import type { LastReceipt, ReceiptBody, SignedReceipt } from "../contracts/receipt.ts";
import type { ReceiptView } from "../contracts/verbs.ts";
import { receiptFact } from "./audit-facts.ts";
import { appendAudit } from "./audit-store.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { bytesAt, insertRow, nextNumber, numberAt, optionalTextAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export interface StoredReceipt extends ReceiptView {
  readonly scopeId: string;
}

const receiptBody = (n: number): string => bodyName("receipts", n, "body");

export function readScopeSalt(sql: SqlPort, scopeId: string): Uint8Array | undefined {
  const [row] = sql.all("SELECT salt FROM scopes WHERE id = ?", scopeId);
  return row && bytesAt(row, "salt");
}

/** The scope's salt, made once, with the scope's row: 16 random bytes. */
export function openScope(sql: SqlPort, scopeId: string, createSalt: () => Uint8Array): Uint8Array {
  return sql.transaction(() => {
    const existing = readScopeSalt(sql, scopeId);
    if (existing !== undefined) return existing;
    const salt = createSalt();
    insertRow(sql, "scopes", { id: scopeId, salt, seq: 0 });
    return salt;
  });
}

/** Of a scope, also when the receipt itself is gone. */
export function readLastReceipt(sql: SqlPort, scopeId: string): LastReceipt | undefined {
  const [row] = sql.all("SELECT seq, token FROM scopes WHERE id = ?", scopeId);
  const token = row && optionalTextAt(row, "token");
  return row && token !== undefined ? { seq: numberAt(row, "seq"), token } : undefined;
}

export interface NewReceipt {
  readonly receipt: SignedReceipt;
  readonly scopeId: string;
  readonly turn: number;
  readonly callId: string;
}

/** With its entry in the audit chain. Answers its row number. Throws when it is not the next of its scope: it was signed over a head that has moved on. */
export function insertReceipt(context: StoreContext, { receipt, scopeId, turn, callId }: NewReceipt): number {
  const { sql } = context;
  const { body, token } = receipt;
  const moved = updateRows(sql, {
    table: "scopes",
    set: { seq: body.seq, token },
    where: { id: scopeId, seq: body.seq - 1 },
  });
  if (!moved) throw new Error(`receipt ${body.seq} is not the next of its scope`);
  const n = nextNumber(sql, "receipts");
  const stored = storeBody(sql, receiptBody(n), encodeJson(body));
  insertRow(sql, "receipts", { n, token, scope: scopeId, turn, call_id: callId, body: stored });
  appendAudit(context, receiptFact(body, token));
  return n;
}

function toStoredReceipt(sql: SqlPort, row: SqlRow): StoredReceipt {
  const n = numberAt(row, "n");
  const body = decodeJson(loadBody(sql, receiptBody(n), { row, column: "body" })) as ReceiptBody;
  return {
    n,
    scopeId: textAt(row, "scope"),
    callId: textAt(row, "call_id"),
    receipt: { body, token: textAt(row, "token") },
  };
}

export function findReceiptByNumber(sql: SqlPort, n: number): StoredReceipt | undefined {
  const [row] = sql.all("SELECT * FROM receipts WHERE n = ?", n);
  return row && toStoredReceipt(sql, row);
}

export function findReceipt(sql: SqlPort, token: string): StoredReceipt | undefined {
  const [row] = sql.all("SELECT * FROM receipts WHERE token = ?", token);
  return row && toStoredReceipt(sql, row);
}

/** Oldest first; `after` is the `n` of the last one seen, 0 for the beginning. */
export function listReceipts(sql: SqlPort, page: { readonly after: number; readonly limit: number }): StoredReceipt[] {
  return sql
    .all("SELECT * FROM receipts WHERE n > ? ORDER BY n LIMIT ?", page.after, page.limit)
    .map((row) => toStoredReceipt(sql, row));
}

/** In execution order. Turns do not overlap, so a turn's receipts lie behind the last one of any turn before it. */
export function listIssued(sql: SqlPort, turn: number): IssuedReceipt[] {
  return sql
    .all("SELECT * FROM receipts WHERE n > (SELECT coalesce(max(n), 0) FROM receipts WHERE turn < ?) ORDER BY n", turn)
    .map((row) => toStoredReceipt(sql, row))
    .map(({ callId, receipt }) => ({ callId, tool: receipt.body.tool, receipt: receipt.token }));
}

/** 0 while there is none. */
export function lastReceiptNumber(sql: SqlPort): number {
  const [row] = sql.all("SELECT coalesce(max(n), 0) AS n FROM receipts");
  return row === undefined ? 0 : numberAt(row, "n");
}

/** Those whose salt there still is. */
export const listScopes = (sql: SqlPort): { readonly scopeId: string; readonly salt: Uint8Array }[] =>
  sql.all("SELECT id, salt FROM scopes ORDER BY id").map((row) => ({
    scopeId: textAt(row, "id"),
    salt: bytesAt(row, "salt"),
  }));
