/** Calls: one row each from proposal to settlement, moved by compare-and-set alone. Rules: G5, G9, DU10, DU11. */
import type {
  LoopCall,
  CallOutcome,
  CallState,
  Disposition,
  ModelCall,
  PreparedRow,
  StoredResult,
} from "../contracts/call.ts";
import type { JsonObject } from "../contracts/json.ts";
import type { CallStart } from "../contracts/turn-journal.ts";
import type { ToolOrigin } from "../contracts/tool.ts";
import { dispositionFact } from "./audit-facts.ts";
import { appendAudit } from "./audit-store.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { removeDeadline } from "./deadline-store.ts";
import { findReceiptByNumber } from "./receipt-store.ts";
import { bytesAt, insertRow, numberAt, optionalNumberAt, optionalTextAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import type { StepKey } from "./step-store.ts";
import { decodeJson, decodeUtf8, encodeJson, encodeUtf8 } from "./utf8.ts";

/** What was prepared, and from the fence on what passed it: exactly these arguments, of exactly this definition. */
export interface PreparedCall extends Pick<CallStart, "definitionHash" | "args" | "argsDigest" | "idempotencyKey"> {
  readonly tool: string;
}

/** How a call was judged that waited in its row before it could start. */
export type CallRuling = Pick<PreparedRow, "requirement" | "approvalId">;

/** What is known of a raw result without reading it. */
export interface ResultInfo {
  /** Stored bytes. */
  readonly size: number;
  readonly complete: boolean;
  /** Code points and digest of the whole raw text. */
  readonly chars: number;
  readonly digest: string;
}

export interface StoredCall extends StepKey {
  readonly call: ModelCall;
  readonly state: CallState;
  /** Once it was stored as ready or awaiting, or was started. */
  readonly prepared?: PreparedCall;
  readonly ruling?: CallRuling;
  /** Instead, of a call that the loop detector kept from running. */
  readonly blocked?: LoopCall;
  /** How often it was started, once it was. */
  readonly attempt?: number;
  readonly startedAt?: number;
  /** Of a client call: until when its result is waited for. */
  readonly expiresAt?: number;
  /** Once it is settled. */
  readonly outcome?: CallOutcome;
  readonly settledAt?: number;
  /** When it ran and its result was stored. */
  readonly result?: ResultInfo;
}

type CallBody = "request" | "args" | "shown" | "outcome";
/** The part of an outcome that is neither a column, nor the shown text, nor the receipt. */
type OutcomeBody = Omit<CallOutcome, "disposition" | "shown" | "receipt">;

export const callBody = (callId: string, column: CallBody): string => bodyName("calls", callId, column);

export function insertCall(sql: SqlPort, { turn, frame, step }: StepKey, call: ModelCall): void {
  const request = storeBody(sql, callBody(call.callId, "request"), encodeJson(call));
  insertRow(sql, "calls", { call_id: call.callId, turn, frame, step, state: "proposed", request });
}

export function readCallState(sql: SqlPort, callId: string): CallState | undefined {
  const [row] = sql.all("SELECT state FROM calls WHERE call_id = ?", callId);
  return row && (textAt(row, "state") as CallState);
}

/** The model-visible text of a settled call, without its receipt line. */
export function readShown(sql: SqlPort, callId: string): string | undefined {
  const [row] = sql.all("SELECT shown FROM calls WHERE call_id = ? AND state = 'settled'", callId);
  return row && shownOf(sql, callId, row);
}

/** For rows that carry a settled call's `shown` column. */
export function shownOf(sql: SqlPort, callId: string, row: SqlRow): string {
  return decodeUtf8(loadBody(sql, callBody(callId, "shown"), { row, column: "shown" }));
}

export interface CallEnding {
  readonly from: CallState;
  readonly at: number;
  readonly outcome: CallOutcome;
  readonly result?: StoredResult;
  /** Row number of its receipt. */
  readonly receipt?: number;
  /** What it would have run, had the loop detector not kept it from running (LC11). */
  readonly blocked?: LoopCall;
  /** Of a call that never started: where the tool comes from, if it was found. */
  readonly toolOrigin?: ToolOrigin | null;
}

/** The call's one disposition, its entry in the audit chain, and the end of its deadline if it was offered: false when the call has left `from`. */
export function markSettled(context: StoreContext, callId: string, ending: CallEnding): boolean {
  const { sql } = context;
  const { disposition, shown, receipt: _signed, ...rest } = ending.outcome;
  const { result, blocked } = ending;
  const set = {
    ...(blocked === undefined ? {} : { tool: encodeUtf8(blocked.tool), args_digest: blocked.argsDigest }),
    ...(ending.toolOrigin === undefined ? {} : { tool_origin: ending.toolOrigin }),
    state: "settled",
    settled_ms: ending.at,
    disposition,
    shown: storeBody(sql, callBody(callId, "shown"), encodeUtf8(shown)),
    outcome: storeBody(sql, callBody(callId, "outcome"), encodeJson(rest satisfies OutcomeBody)),
    receipt: ending.receipt ?? null,
    result_bytes: result?.bytes.byteLength ?? null,
    result_complete: result === undefined ? null : Number(result.complete),
    result_chars: result?.chars ?? null,
    result_digest: result?.digest ?? null,
  };
  if (ending.from === "started") removeDeadline(context, { kind: "client", ref: callId });
  const settled = updateRows(sql, { table: "calls", set, where: { call_id: callId, state: ending.from } });
  if (settled) appendAudit(context, dispositionFact(sql, callId));
  return settled;
}

function readPrepared(sql: SqlPort, callId: string, row: SqlRow): Pick<StoredCall, "prepared"> {
  const definitionHash = optionalTextAt(row, "definition_hash");
  if (definitionHash === undefined) return {};
  const key = optionalTextAt(row, "idempotency_key");
  const prepared = {
    tool: decodeUtf8(bytesAt(row, "tool")),
    definitionHash,
    args: decodeJson(loadBody(sql, callBody(callId, "args"), { row, column: "args" })) as JsonObject,
    argsDigest: textAt(row, "args_digest"),
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
  return { prepared };
}

function readRuling(row: SqlRow): Pick<StoredCall, "ruling"> {
  const requirement = optionalTextAt(row, "requirement");
  if (requirement === undefined) return {};
  const approvalId = optionalTextAt(row, "approval_id");
  const ruled = { requirement: requirement as CallRuling["requirement"] };
  return { ruling: approvalId === undefined ? ruled : { ...ruled, approvalId } };
}

function readTimes(row: SqlRow): Pick<StoredCall, "attempt" | "startedAt" | "expiresAt"> {
  const attempt = optionalNumberAt(row, "attempt");
  const startedAt = optionalNumberAt(row, "started_ms");
  const expiresAt = optionalNumberAt(row, "expires_ms");
  return {
    ...(attempt === undefined ? {} : { attempt }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function readOutcome(sql: SqlPort, callId: string, row: SqlRow): Pick<StoredCall, "outcome" | "settledAt"> {
  const settledAt = optionalNumberAt(row, "settled_ms");
  if (settledAt === undefined) return {};
  const n = optionalNumberAt(row, "receipt");
  const receipt = n === undefined ? undefined : findReceiptByNumber(sql, n)?.receipt;
  const outcome: CallOutcome = {
    ...(decodeJson(loadBody(sql, callBody(callId, "outcome"), { row, column: "outcome" })) as OutcomeBody),
    disposition: textAt(row, "disposition") as Disposition,
    shown: shownOf(sql, callId, row),
    ...(receipt === undefined ? {} : { receipt }),
  };
  return { outcome, settledAt };
}

/** A refused call whose row names a run and no definition was never judged further: the detector stopped it. */
function readBlocked(row: SqlRow): Pick<StoredCall, "blocked"> {
  const argsDigest = optionalTextAt(row, "args_digest");
  if (argsDigest === undefined || row["definition_hash"] !== null) return {};
  return { blocked: { tool: decodeUtf8(bytesAt(row, "tool")), argsDigest } };
}

function readResultInfo(row: SqlRow): Pick<StoredCall, "result"> {
  const size = optionalNumberAt(row, "result_bytes");
  if (size === undefined) return {};
  const complete = numberAt(row, "result_complete") === 1;
  return { result: { size, complete, chars: numberAt(row, "result_chars"), digest: textAt(row, "result_digest") } };
}

/** One call of this conversation, whatever its state. */
export function findCall(sql: SqlPort, callId: string): StoredCall | undefined {
  const [row] = sql.all("SELECT * FROM calls WHERE call_id = ?", callId);
  if (row === undefined) return undefined;
  return {
    call: decodeJson(loadBody(sql, callBody(callId, "request"), { row, column: "request" })) as ModelCall,
    turn: numberAt(row, "turn"),
    frame: textAt(row, "frame"),
    step: numberAt(row, "step"),
    state: textAt(row, "state") as CallState,
    ...readPrepared(sql, callId, row),
    ...readRuling(row),
    ...readTimes(row),
    ...readBlocked(row),
    ...readOutcome(sql, callId, row),
    ...readResultInfo(row),
  };
}
