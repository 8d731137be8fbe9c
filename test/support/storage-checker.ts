/** What must hold of a conversation's rows whatever happened to it. Rules: HC1, HC3, HC4, HC9, HC10, HC15, G10, AU1. */
import { expect } from "vitest";
import type { HistoryEntry } from "../../src/contracts/message.ts";
import { auditOrigin, startAuditWalk } from "../../src/receipts/audit-chain.ts";
import { listAudit } from "../../src/storage/audit-store.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { readEvents } from "../../src/storage/event-store.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { readConversation } from "../../src/storage/conversation-store.ts";
import { listReceipts } from "../../src/storage/receipt-store.ts";
import type { SqlPort, SqlValue } from "../../src/storage/sql-port.ts";
import { listTurns } from "../../src/storage/turn-store.ts";
import { encodeUtf8 } from "../../src/storage/utf8.ts";
import { readTables } from "./storage-fixture.ts";

interface ReadEvent {
  readonly seq: number;
  readonly type: string;
  readonly turn: string;
  readonly callId?: string;
  readonly disposition?: string;
}

export function readLog(sql: SqlPort, turn?: string): ReadEvent[] {
  const events: ReadEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? 0;
    const page = readEvents(sql, { after, limit: 100, ...(turn === undefined ? {} : { turn }) });
    if (page.length === 0) return events;
    events.push(...page.map(({ body }) => readEvent(JSON.parse(body))));
  }
}

/** Tests of rows alone write events as they are in code; the wire spells their names. */
const readEvent = ({ call_id: callId, ...event }: ReadEvent & { readonly call_id?: string }): ReadEvent =>
  callId === undefined ? event : { ...event, callId };

const sizeOf = (value: SqlValue): number => {
  if (typeof value === "string") return encodeUtf8(value).byteLength;
  return value instanceof Uint8Array ? value.byteLength : 0;
};

export function expectSmallValues(sql: SqlPort): void {
  const large = [...readTables(sql)].flatMap(([table, rows]) =>
    rows.flatMap((row) =>
      Object.entries(row)
        .filter(([, value]) => sizeOf(value) > 262_144)
        .map(([column]) => `${table}.${column}`),
    ),
  );
  expect(large).toEqual([]);
}

export function expectDenseLog(sql: SqlPort): void {
  const log = readLog(sql);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
}

/** Each result follows the assistant message that has its call, in slot order, and none is missing. */
export function expectValidHistory(entries: readonly HistoryEntry[]): void {
  const open: string[] = [];
  for (const entry of entries) {
    if (entry.kind === "tool") expect(entry.callId).toBe(open.shift());
    else expect(open).toEqual([]);
    if (entry.kind === "assistant") open.push(...entry.calls.map(({ callId }) => callId));
  }
  expect(open).toEqual([]);
}

/** For a turn that has ended. */
export function expectClosedTurn(sql: SqlPort, turn: string): void {
  const log = readLog(sql, turn);
  expect(log[0]?.type).toBe("turn_accepted");
  expect(log.filter(({ type }) => type === "turn_finished")).toHaveLength(1);
  expect(log.at(-1)?.type).toBe("turn_finished");
  const rows = sql.all("SELECT call_id FROM calls WHERE turn = (SELECT n FROM turns WHERE id = ?)", turn);
  for (const { call_id: callId } of rows) {
    const stored = findCall(sql, String(callId));
    const pair = log.filter(({ type, callId: of }) => of === callId && type.startsWith("tool_"));
    expect(pair.map(({ type }) => type)).toEqual(["tool_call", "tool_result"]);
    expect(stored?.state).toBe("settled");
    expect(pair[1]?.disposition).toBe(stored?.outcome?.disposition);
  }
  expect(log.filter(({ type }) => type === "tool_call")).toHaveLength(rows.length);
}

/** What is asked of somebody outside has its deadline, and so has a turn that could start; nothing else has one. */
export function expectDeadlines(sql: SqlPort): void {
  const wanted = sql.all(
    `SELECT 'approval' AS kind, approval_id AS ref, expires_ms AS at FROM approvals WHERE state = 'pending'
     UNION ALL SELECT 'client', call_id, expires_ms FROM calls WHERE state = 'started' AND expires_ms IS NOT NULL`,
  );
  const kept = sql.all("SELECT kind, ref, at_ms AS at FROM deadlines WHERE kind IN ('approval', 'client')");
  const byRef = (one: { ref?: unknown }, other: { ref?: unknown }): number =>
    String(one.ref) < String(other.ref) ? -1 : 1;
  expect(kept.toSorted(byRef)).toEqual(wanted.toSorted(byRef));
  const running = sql.all("SELECT id AS ref FROM turns WHERE state = 'running'");
  expect(sql.all("SELECT ref FROM deadlines WHERE kind = 'heartbeat'")).toEqual(running);
  const open = listTurns(sql, { limit: 1000 }).filter(({ turn }) => turn.finishedAt === undefined);
  const next = open.every(({ turn }) => turn.state === "queued") ? open.at(-1)?.turn.id : undefined;
  const starts = sql.all("SELECT ref FROM deadlines WHERE kind = 'start'").map((row) => row["ref"]);
  expect(starts).toEqual(next === undefined ? [] : [next]);
}

/** The chain is whole, tells of each settled call, receipt and ended approval once, and has the head of each turn that has ended. */
export function expectAudit(sql: SqlPort): void {
  const owner = readConversation(sql) ?? { tenant: "", conversation: "" };
  const entries = listAudit(sql, { after: 0, limit: 100_000 });
  const walk = startAuditWalk({ seq: 0, hash: auditOrigin(owner) });
  expect(entries.flatMap((entry) => walk.step(entry) ?? [])).toEqual([]);
  const told = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ subject }) => subject);
  const rows = (query: string) => sql.all(query).map((row) => row["id"]);
  expect(told("disposition").toSorted()).toEqual(
    rows("SELECT call_id AS id FROM calls WHERE state = 'settled' ORDER BY call_id"),
  );
  expect(told("receipt")).toEqual(rows("SELECT call_id AS id FROM receipts ORDER BY n"));
  expect(told("decision").toSorted()).toEqual(
    rows("SELECT approval_id AS id FROM approvals WHERE state <> 'pending' ORDER BY approval_id"),
  );
  expect(told("cancel").toSorted()).toEqual(rows("SELECT id FROM turns WHERE cancel_ms IS NOT NULL ORDER BY id"));
  const hashes = new Set([walk.head.hash, auditOrigin(owner), ...entries.map(({ hash }) => hash)]);
  for (const { turn, summary } of listTurns(sql, { limit: 1000 })) {
    if (turn.finishedAt !== undefined) expect(hashes).toContain(summary?.headHash);
  }
}

/** For a conversation in which nothing is open. */
export function expectSound(sql: SqlPort): void {
  expectAudit(sql);
  expectDeadlines(sql);
  expectDenseLog(sql);
  expectSmallValues(sql);
  const turns = listTurns(sql, { limit: 1000 });
  for (const { turn } of turns) if (turn.state !== "queued") expectClosedTurn(sql, turn.id);
  expectValidHistory(readHistory(sql, { turn: turns[0]?.turn.n ?? 0, frame: "", maxBytes: 1e9 }));
  const receipted = sql.all("SELECT call_id FROM calls WHERE disposition = 'succeeded' ORDER BY call_id");
  const receipts = listReceipts(sql, { after: 0, limit: 1000 });
  expect(receipts.map(({ callId }) => callId).toSorted()).toEqual(receipted.map((row) => row["call_id"]));
  expect(receipts.map(({ receipt }) => receipt.body.seq)).toEqual(receipts.map((_, index) => index + 1));
}
