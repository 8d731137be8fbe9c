/** The journal of one running turn: the core's port over the named transactions. Rules: DU12, DU14, G3. */
import type { FrameRows, FrameStep, LoopCheckpoint, TurnJournal } from "../contracts/ports.ts";
import type { ResultRange } from "../contracts/tool.ts";
import { listActivated } from "./activated-store.ts";
import { isGranted } from "./allowlist-store.ts";
import { readBatch, readStepResponse } from "./batch.ts";
import { findCall } from "./call-store.ts";
import { closeCharge } from "./charge-store.ts";
import { findFrame } from "./frame-store.ts";
import { listMemory } from "./memory-store.ts";
import { readHistory } from "./message-store.ts";
import { findReceipt, listIssued, readLastReceipt } from "./receipt-store.ts";
import type { SqlPort } from "./sql-port.ts";
import { sliceResult } from "./result-store.ts";
import { listToolRuns } from "./tool-runs.ts";
import { countSteering } from "./steering-store.ts";
import {
  type FrameKey,
  findLastStep,
  keyOf,
  readFrameCheckpoint,
  readTurnCheckpoint,
  type StepState,
} from "./step-store.ts";
import { type FrameContext, rootFrame, type TurnContext } from "./store-context.ts";
import { activateTools } from "./transactions/activate-tools.ts";
import { appendEvents } from "./transactions/append-events.ts";
import { appendNotes } from "./transactions/append-notes.ts";
import { appendRound } from "./transactions/append-round.ts";
import { askApprovals } from "./transactions/ask-approvals.ts";
import { barTool } from "./transactions/bar-tool.ts";
import { closeFrame } from "./transactions/close-frame.ts";
import { commitResponse } from "./transactions/commit-response.ts";
import { endFrame } from "./transactions/end-frame.ts";
import { finishTurn } from "./transactions/finish-turn.ts";
import { offerCalls } from "./transactions/offer-calls.ts";
import { openCharge } from "./transactions/open-charge.ts";
import { openFrame } from "./transactions/open-frame.ts";
import { openFrames } from "./transactions/open-frames.ts";
import { openStep } from "./transactions/open-step.ts";
import { readyCalls } from "./transactions/ready-calls.ts";
import { settleCall } from "./transactions/settle-call.ts";
import { settleUnrun } from "./transactions/settle-unrun.ts";
import { startCall } from "./transactions/start-call.ts";
import { storeMemory } from "./transactions/store-memory.ts";
import { suspendTurn } from "./transactions/suspend-turn.ts";
import { takeSteering } from "./transactions/take-steering.ts";
import { readCancelReason } from "./turn-store.ts";

export interface TurnJournalOptions extends TurnContext {
  /** Of the receipts: the conversation, or `<conversation>/<turn>`. Its row must exist before a receipt is stored. */
  readonly scopeId: string;
  readonly maxContextBytes: number;
  /** Resolves when everything written so far is durable. */
  readonly sync: () => Promise<void>;
  /** Called after each transaction that may have written events: time to wake whoever reads the log. */
  readonly onCommitted: () => void;
}

/**
 * Methods that return nothing throw `TurnSuperseded` when the turn has ended or was taken over; the others answer false.
 * Whoever gets either stops and writes nothing more.
 */
export const createTurnJournal = (options: TurnJournalOptions): TurnJournal =>
  createFrameJournal({ ...options, frame: rootFrame });

function createFrameJournal(options: TurnJournalOptions & FrameContext): TurnJournal {
  const { sql, turn, frame, scopeId, maxContextBytes, onCommitted } = options;
  const key = keyOf(options);
  let follow: (() => LoopCheckpoint) | undefined;
  const announce = (act: () => void): void => {
    act();
    onCommitted();
  };
  const announceIf = (act: () => boolean): boolean => {
    const written = act();
    if (written) onCommitted();
    return written;
  };
  return {
    history: () => readHistory(sql, { ...key, maxBytes: maxContextBytes }),
    follow: (checkpoint) => {
      follow = checkpoint;
    },
    openFrame: (record, entries) => openFrame(options, record, entries),
    readFrame: () => readFrameRows(sql, key),
    turnCheckpoint: () => readTurnCheckpoint(sql, turn.n),
    issuedReceipts: () => listIssued(sql, turn.n),
    delegateFrame: (callId) => createFrameJournal({ ...options, frame: callId }),
    endFrame: (outcome, left) => announce(() => endFrame(options, { outcome, ...left, checkpoint: follow?.() })),
    closeFrame: (outcome, seal) => announce(() => closeFrame(options, { outcome, seal })),
    openFrames: () => openFrames(options).flatMap((opened) => readFrameRows(sql, opened) ?? []),
    openStep: (step) => openStep(options, step, follow?.()),
    openCharge: (charge) => openCharge(options, charge),
    closeCharge: (reservation, end) => announce(() => sql.transaction(() => closeCharge(options, reservation, end))),
    appendEvents: (events) => announce(() => appendEvents(options, events)),
    commitResponse: (response) => announce(() => commitResponse(options, response, follow?.())),
    settleUnrun: (calls) => announce(() => settleUnrun(options, calls)),
    readyCalls: (rows) => readyCalls(options, rows),
    askApprovals: (asking) => announce(() => askApprovals(options, asking, follow?.())),
    offerCalls: (offering) => announce(() => offerCalls(options, offering, follow?.())),
    suspend: (toEvent) => announceIf(() => suspendTurn(options, toEvent)),
    stepResponse: (step) => readStepResponse(sql, { ...key, step }),
    batchCalls: (step) => readBatch(sql, { ...key, step }),
    isRemembered: (grant) => isGranted(sql, grant),
    activated: (agent) => listActivated(sql, { agent, frame }),
    activate: (activations) => activateTools(options, activations),
    barTool: (barred) => barTool(options, barred),
    takeSteering: (toEvent) => {
      const entries = frame === rootFrame ? takeSteering(options, toEvent) : [];
      if (entries.length > 0) onCommitted();
      return entries;
    },
    hasSteering: () => frame === rootFrame && countSteering(sql, turn.n) > 0,
    startCall: (start) => announceIf(() => startCall(options, start)),
    durable: () => options.sync(),
    lastReceipt: () => readLastReceipt(sql, scopeId),
    findReceipt: (token) => {
      const stored = findReceipt(sql, token);
      return stored?.scopeId === scopeId ? stored.receipt.body : undefined;
    },
    toolRuns: () => listToolRuns(sql, turn),
    settleCall: (settlement) => announceIf(() => settleCall(options, scopeId, settlement)),
    appendNotes: (notes) => appendNotes(options, notes),
    appendRound: (round) => announce(() => appendRound(options, round, follow?.())),
    finish: (end) => announceIf(() => finishTurn(options, end)),
    memory: (agent) => ({
      list: () => listMemory(sql, agent),
      store: (entry) => storeMemory(options, agent, entry),
    }),
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
