/** An open batch read back from its rows, as the loop needs it to go on. Rules: CK3, CK8, CP20. */
import type { PreparedRow, StoredBatchCall } from "../contracts/call.ts";
import { type CallRuling, findCall, type StoredCall } from "./call-store.ts";
import type { SqlPort } from "./sql-port.ts";
import { findLastStep, type StepKey, type StepResponse } from "./step-store.ts";

/** The response that the batch belongs to. Throws when the step is not committed: it has gone into history or never came. */
export function readStepResponse(sql: SqlPort, key: StepKey): StepResponse {
  const last = findLastStep(sql, key);
  if (last?.response === undefined || last.step !== key.step) throw new Error(`step ${key.step} has no open round`);
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
  const { call, state, outcome, result, blocked, startedAt, prepared } = stored;
  return {
    call,
    state,
    offered: stored.expiresAt !== undefined,
    ...toPreparedRow(stored),
    ...(blocked === undefined ? {} : { blocked }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(prepared?.idempotencyKey === undefined ? {} : { idempotencyKey: prepared.idempotencyKey }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(result === undefined ? {} : { resultDigest: result.digest }),
  };
}

/** In model order. Throws like `readStepResponse`. */
export const readBatch = (sql: SqlPort, key: StepKey): readonly StoredBatchCall[] =>
  readStepResponse(sql, key).callIds.map((callId) => toBatchCall(sql, callId));
