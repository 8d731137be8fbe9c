/** Expiry: what waits for somebody outside, until when, and what of it is overdue. Rules: G10, AP12, DU26, CK11. */
import type { OpenRequests } from "../contracts/verbs.ts";
import { type StoredApproval, listOpenApprovals } from "./approval-store.ts";
import { findCall, type StoredCall } from "./call-store.ts";
import { optionalNumberAt, textAt } from "./rows.ts";
import { offeredCallTerm, openApprovalTerm } from "./schema.ts";
import type { SqlPort } from "./sql-port.ts";

/** Epoch milliseconds of the deadline that comes first; absent while nobody outside is waited for. */
export function findNextExpiry(sql: SqlPort): number | undefined {
  const [row] = sql.all(
    `SELECT min(at) AS at FROM (
      SELECT min(expires_ms) AS at FROM approvals INDEXED BY open_approvals WHERE ${openApprovalTerm}
      UNION ALL SELECT min(expires_ms) AS at FROM calls INDEXED BY offered_calls WHERE ${offeredCallTerm})`,
  );
  return row && optionalNumberAt(row, "at");
}

/** Client calls that were offered and have no result. All of them belong to the one turn that is under way. */
export function listOfferedCalls(sql: SqlPort): StoredCall[] {
  return sql
    .all(`SELECT call_id FROM calls INDEXED BY offered_calls WHERE ${offeredCallTerm} ORDER BY expires_ms, call_id`)
    .flatMap((row) => findCall(sql, textAt(row, "call_id")) ?? []);
}

/** What a suspended turn waits for; empty for any other. */
export function readOpenRequests(sql: SqlPort, turn: number): OpenRequests {
  const asked = listOpenApprovals(sql).filter((stored) => stored.turn === turn);
  const offered = listOfferedCalls(sql).filter((stored) => stored.turn === turn);
  return {
    approvals: asked.map(({ n, approval }) => ({ n, ...approval })),
    clientCalls: offered.flatMap(({ call: { callId }, prepared, expiresAt }) =>
      prepared === undefined || expiresAt === undefined
        ? []
        : [{ callId, tool: prepared.tool, args: prepared.args, expiresAt }],
    ),
  };
}

export interface Overdue {
  readonly approvals: readonly StoredApproval[];
  readonly calls: readonly StoredCall[];
}

/** Judged by the stored times alone, however late the alarm came: due is what has `at <= now`. */
export function listOverdue(sql: SqlPort, now: number): Overdue {
  return {
    approvals: listOpenApprovals(sql).filter(({ approval }) => approval.expiresAt <= now),
    calls: listOfferedCalls(sql).filter(({ expiresAt = now }) => expiresAt <= now),
  };
}
