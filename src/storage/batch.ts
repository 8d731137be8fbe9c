/** An open batch read back from its rows, as the loop needs it to go on. Rules: CK3, CK8, CP20. */
import type { PreparedRow, StoredBatchCall } from "../contracts/call.ts";
import type { AssistantEntry } from "../contracts/message.ts";
import { type CallRuling, findCall, type StoredCall } from "./call-store.ts";
import type { SqlPort } from "./sql-port.ts";
import { findLastStep, type StepKey, type StepResponse } from "./step-store.ts";

function readResponse(sql: SqlPort, { turn, step }: StepKey): StepResponse {
  const last = findLastStep(sql, turn);
  if (last?.response === undefined || last.step !== step) throw new Error(`step ${step} has no open round`);
  return last.response;
}

/** A call that started at once was never asked about, so its row holds no ruling. */
const unasked: CallRuling = { requirement: "not_required" };

function toPreparedRow({ call, prepared, ruling = unasked }: StoredCall): { prepared?: PreparedRow } {
  if (prepared === undefined) return {};
  const { idempotencyKey: _key, ...rest } = prepared;
  return { prepared: { call, ...rest, ...ruling } };
}

function toBatchCall(sql: SqlPort, callId: string): StoredBatchCall {
  const stored = findCall(sql, callId);
  if (stored === undefined) throw new Error(`call ${callId} has no row`);
  const { call, state, outcome, result } = stored;
  return {
    call,
    state,
    ...toPreparedRow(stored),
    ...(outcome === undefined ? {} : { outcome }),
    ...(result === undefined ? {} : { resultDigest: result.digest }),
  };
}

/** In model order. Throws when the step is not committed: its response has gone into history or never came. */
export const readBatch = (sql: SqlPort, key: StepKey): readonly StoredBatchCall[] =>
  readResponse(sql, key).callIds.map((callId) => toBatchCall(sql, callId));

/** The assistant message that the batch belongs to. Throws like `readBatch`. */
export const readStepMessage = (sql: SqlPort, key: StepKey): AssistantEntry => readResponse(sql, key).message;
