/** Open requests: what waits for somebody outside, found by its deadline. Rules: CK1, CK6, DU7. */
import type { OpenRequests } from "../contracts/verbs.ts";
import { listOpenApprovals } from "./approval-store.ts";
import { findCall, type StoredCall } from "./call-store.ts";
import { textAt } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";

/** Asks no body, so that one request that cannot be read holds up no other. */
export const hasOpenRequests = (sql: SqlPort): boolean =>
  sql.all("SELECT 1 AS found FROM deadlines WHERE kind IN ('approval', 'client') LIMIT 1").length > 0;

/** Client calls that were offered and have no result. All of them belong to the one turn that is under way. */
export function listOfferedCalls(sql: SqlPort): StoredCall[] {
  return sql
    .all("SELECT ref FROM deadlines WHERE kind = 'client' ORDER BY at_ms, ref")
    .flatMap((row) => findCall(sql, textAt(row, "ref")) ?? []);
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
