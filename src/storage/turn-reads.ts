/** What a frame of a running turn asks its rows; nothing here writes. Rules: CK3, DU3, DG5. */
import type { ResultRange } from "../contracts/tool.ts";
import type { FrameRows, FrameStep, TurnReads } from "../contracts/turn-journal.ts";
import { listActivated } from "./activated-store.ts";
import { isGranted } from "./allowlist-store.ts";
import { readBatch, readStepResponse } from "./batch.ts";
import { findCall } from "./call-store.ts";
import { findFrame } from "./frame-store.ts";
import { readHistory } from "./message-store.ts";
import { findReceipt, listIssued, readLastReceipt } from "./receipt-store.ts";
import { sliceResult } from "./result-store.ts";
import type { SqlPort } from "./sql-port.ts";
import { countSteering } from "./steering-store.ts";
import {
  type FrameKey,
  findLastStep,
  keyOf,
  readFrameCheckpoint,
  readTurnCheckpoint,
  type StepState,
} from "./step-store.ts";
import { type FrameContext, rootFrame } from "./store-context.ts";
import { listToolRuns } from "./tool-runs.ts";
import { openFrames } from "./transactions/open-frames.ts";
import { readCancelReason } from "./turn-store.ts";

export interface TurnReadsOptions extends FrameContext {
  readonly scopeId: string;
  readonly maxContextBytes: number;
}

export function createTurnReads(context: TurnReadsOptions): TurnReads {
  const { sql, turn, frame, scopeId, maxContextBytes } = context;
  const key = keyOf(context);
  return {
    history: () => readHistory(sql, { ...key, maxBytes: maxContextBytes }),
    readFrame: () => readFrameRows(sql, key),
    turnCheckpoint: () => readTurnCheckpoint(sql, turn.n),
    issuedReceipts: () => listIssued(sql, turn.n),
    openFrames: () => openFrames(context).flatMap((opened) => readFrameRows(sql, opened) ?? []),
    stepResponse: (step) => readStepResponse(sql, { ...key, step }),
    batchCalls: (step) => readBatch(sql, { ...key, step }),
    isRemembered: (grant) => isGranted(sql, grant),
    activated: (agent) => listActivated(sql, { agent, frame }),
    hasSteering: () => frame === rootFrame && countSteering(sql, turn.n) > 0,
    lastReceipt: () => readLastReceipt(sql, scopeId),
    findReceipt: (token) => {
      const stored = findReceipt(sql, token);
      return stored?.scopeId === scopeId ? stored.receipt.body : undefined;
    },
    toolRuns: () => listToolRuns(sql, turn),
    readResult: (range) => (mayRead(sql, frame, range) ? sliceResult(sql, range) : undefined),
    cancelReason: () => readCancelReason(sql, turn.n),
  };
}

/** A delegate reads results of its own calls; in the turn's own frame all of the conversation are there (DG5). */
const mayRead = (sql: SqlPort, frame: string, { callId }: ResultRange): boolean =>
  frame === rootFrame || findCall(sql, callId)?.frame === frame;

const stateOf: Readonly<Record<StepState, FrameStep["state"]>> = {
  pending: "asked",
  committed: "answered",
  appended: "closed",
  abandoned: "closed",
};

function readFrameRows(sql: SqlPort, key: FrameKey): FrameRows | undefined {
  const found = findFrame(sql, key);
  if (found === undefined) return undefined;
  const { record, outcome } = found;
  const last = findLastStep(sql, key);
  const checkpoint = readFrameCheckpoint(sql, key);
  return {
    record,
    ...(last === undefined ? {} : { step: { step: last.step, attempt: last.attempt, state: stateOf[last.state] } }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}
