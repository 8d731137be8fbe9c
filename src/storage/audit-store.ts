/** The audit chain's rows: appended beside what they tell of, never changed. Rules: AU1–AU3, AP19, RD6, G15. */
import type { AuditEntry, AuditFact, AuditHead, AuditKind, FinalRecord } from "../contracts/audit.ts";
import type { JsonObject } from "../contracts/json.ts";
import { makeWellFormed } from "../contracts/well-formed.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { insertRow, nextNumber, numberAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

const auditBody = (seq: number): string => bodyName("audit", seq, "data");

type AuditContext = Pick<StoreContext, "sql" | "audit" | "now">;

/** `seq` 0 and the chain's origin before the first entry. */
export function readAuditHead({ sql, audit }: Pick<AuditContext, "sql" | "audit">): AuditHead {
  const [row] = sql.all("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1");
  return row === undefined ? { seq: 0, hash: audit.origin } : { seq: numberAt(row, "seq"), hash: textAt(row, "hash") };
}

/** For use inside the transaction that writes what it tells of. Names that a model wrote are made well-formed: half a character has no hash. */
export function appendAudit(context: AuditContext, { kind, subject, data }: AuditFact): void {
  const { sql, audit, now } = context;
  const head = readAuditHead(context);
  const said = makeWellFormed(data) as JsonObject;
  const row = { seq: head.seq + 1, at: now(), kind, subject, data: said, prev: head.hash };
  insertRow(sql, "audit", {
    seq: row.seq,
    at_ms: row.at,
    kind,
    subject,
    data: storeBody(sql, auditBody(row.seq), encodeJson(said)),
    prev: row.prev,
    hash: audit.digest(row),
  });
}

function toEntry(sql: SqlPort, row: SqlRow): AuditEntry {
  const seq = numberAt(row, "seq");
  return {
    seq,
    at: numberAt(row, "at_ms"),
    kind: textAt(row, "kind") as AuditKind,
    subject: textAt(row, "subject"),
    data: decodeJson(loadBody(sql, auditBody(seq), { row, column: "data" })) as JsonObject,
    prev: textAt(row, "prev"),
    hash: textAt(row, "hash"),
  };
}

/** Oldest first; `after` is the `seq` of the last one seen, 0 for the beginning. */
export function listAudit(sql: SqlPort, page: { readonly after: number; readonly limit: number }): AuditEntry[] {
  return sql
    .all("SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", page.after, page.limit)
    .map((row) => toEntry(sql, row));
}

/** As it is now. */
export function readFinalRecord(context: Pick<AuditContext, "sql" | "audit">): FinalRecord {
  const { seq: entries, hash } = readAuditHead(context);
  const last = (table: "receipts" | "turns"): number => nextNumber(context.sql, table) - 1;
  return { hash, entries, receipts: last("receipts"), turns: last("turns") };
}
