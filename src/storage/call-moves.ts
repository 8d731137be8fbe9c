/** How a call moves on towards its effect: prepared, offered to the client, started; each by compare-and-set. Rules: G5, G9, DU7. */
import type { CallState, PreparedRow } from "../contracts/call.ts";
import type { CallStart } from "../contracts/turn-journal.ts";
import { dropBody, storeBody } from "./bodies.ts";
import { callBody, type PreparedCall } from "./call-store.ts";
import { updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import { encodeJson, encodeUtf8 } from "./utf8.ts";

interface Move {
  readonly from: CallState;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A call that has left `proposed` has arguments already; the new ones take their place. */
function preparedColumns(
  sql: SqlPort,
  callId: string,
  { from, ...prepared }: PreparedCall & Pick<Move, "from">,
): SqlRow {
  const name = callBody(callId, "args");
  if (from !== "proposed") dropBody(sql, name);
  return {
    tool: encodeUtf8(prepared.tool),
    definition_hash: prepared.definitionHash,
    args: storeBody(sql, name, encodeJson(prepared.args)),
    args_digest: prepared.argsDigest,
  };
}

const rulingColumns = ({ requirement, approvalId }: PreparedRow): SqlRow => ({
  requirement,
  approval_id: approvalId ?? null,
});

const moveCall = (sql: SqlPort, callId: string, { from, set }: { from: CallState; set: SqlRow }): boolean =>
  updateRows(sql, { table: "calls", set, where: { call_id: callId, state: from } });

/** From `proposed` to where it waits: for its turn in the batch, or for a decision. */
export function markPrepared(sql: SqlPort, prepared: PreparedRow, to: "ready" | "awaiting_approval"): boolean {
  const { callId } = prepared.call;
  const columns = preparedColumns(sql, callId, { ...prepared, from: "proposed" });
  return moveCall(sql, callId, { from: "proposed", set: { ...columns, ...rulingColumns(prepared), state: to } });
}

/** A decision let it run. */
export const markReady = (sql: SqlPort, callId: string): boolean =>
  moveCall(sql, callId, { from: "awaiting_approval", set: { state: "ready" } });

/** Somebody else is asked about it: it waits for that approval now. */
export const markAskedAgain = (sql: SqlPort, callId: string, approvalId: string): boolean =>
  moveCall(sql, callId, { from: "awaiting_approval", set: { approval_id: approvalId } });

export interface Offer {
  readonly prepared: PreparedRow;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A client call counts as started once the client was asked; its expiry is what tells it from a call of ours. */
export function markOffered(sql: SqlPort, { prepared, expiresAt }: Offer, { from, at }: Move): boolean {
  const { callId } = prepared.call;
  const columns = preparedColumns(sql, callId, { ...prepared, from });
  // How it was judged is in the row of a call that waited before it was offered.
  const ruling = from === "proposed" ? rulingColumns(prepared) : {};
  const set = { ...columns, ...ruling, tool_origin: "client", state: "started", started_ms: at, expires_ms: expiresAt };
  return moveCall(sql, callId, { from, set });
}

/** It stays started, under its key: another attempt at it begins. */
export function restartCall(sql: SqlPort, callId: string): void {
  sql.run("UPDATE calls SET attempt = attempt + 1 WHERE call_id = ? AND state = 'started'", callId);
}

/** The `started` row: false when the call has left `from`. */
export function markStarted(sql: SqlPort, start: CallStart, { from, at }: Move): boolean {
  const { callId } = start.call;
  const columns = preparedColumns(sql, callId, { ...start, tool: start.tool ?? start.call.tool, from });
  const key = start.idempotencyKey ?? null;
  const origin = start.event.type === "tool_call" ? start.event.toolOrigin : null;
  const set = { ...columns, tool_origin: origin, state: "started", attempt: 1, idempotency_key: key, started_ms: at };
  return moveCall(sql, callId, { from, set });
}
