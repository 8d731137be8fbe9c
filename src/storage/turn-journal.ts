/** The journal of one running turn: the core's port over the named transactions. Rules: DU12, DU14, G3. */
import type { TurnJournal } from "../contracts/ports.ts";
import { listActivated } from "./activated-store.ts";
import { isGranted } from "./allowlist-store.ts";
import { readBatch, readStepMessage } from "./batch.ts";
import { readHistory } from "./message-store.ts";
import { type DigestToken, readReceiptHead } from "./receipt-store.ts";
import { sliceResult } from "./result-store.ts";
import { countSteering } from "./steering-store.ts";
import type { TurnContext } from "./store-context.ts";
import { activateTools } from "./transactions/activate-tools.ts";
import { appendEvents } from "./transactions/append-events.ts";
import { appendNotes } from "./transactions/append-notes.ts";
import { appendRound } from "./transactions/append-round.ts";
import { commitResponse } from "./transactions/commit-response.ts";
import { finishTurn } from "./transactions/finish-turn.ts";
import { openStep } from "./transactions/open-step.ts";
import { settleCall } from "./transactions/settle-call.ts";
import { settleUnrun } from "./transactions/settle-unrun.ts";
import { startCall } from "./transactions/start-call.ts";
import { suspendForApproval } from "./transactions/suspend-for-approval.ts";
import { suspendForClient } from "./transactions/suspend-for-client.ts";
import { takeSteering } from "./transactions/take-steering.ts";
import { readHold } from "./turn-store.ts";

export interface TurnJournalOptions extends TurnContext {
  /** Of the receipts: the conversation, or `<conversation>/<turn>`. Its row must exist before a receipt is stored. */
  readonly scopeId: string;
  readonly digestToken: DigestToken;
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
export function createTurnJournal(options: TurnJournalOptions): TurnJournal {
  const { sql, turn, scopeId, digestToken, maxContextBytes, onCommitted } = options;
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
    history: () => readHistory(sql, { turn: turn.n, maxBytes: maxContextBytes }),
    openStep: (step) => openStep(options, step),
    appendEvents: (events) => announce(() => appendEvents(options, events)),
    commitResponse: (response) => announce(() => commitResponse(options, response)),
    settleUnrun: (calls) => announce(() => settleUnrun(options, calls)),
    suspendForApproval: (suspension) => announce(() => suspendForApproval(options, suspension)),
    suspendForClient: (suspension) => announce(() => suspendForClient(options, suspension)),
    stepMessage: (step) => readStepMessage(sql, { turn: turn.n, step }),
    batchCalls: (step) => readBatch(sql, { turn: turn.n, step }),
    isRemembered: (grant) => isGranted(sql, grant),
    activated: (agent) => listActivated(sql, agent),
    activate: (activations) => activateTools(options, activations),
    takeSteering: (toEvent) => {
      const entries = takeSteering(options, toEvent);
      if (entries.length > 0) onCommitted();
      return entries;
    },
    hasSteering: () => countSteering(sql, turn.n) > 0,
    startCall: (start) => announceIf(() => startCall(options, start)),
    durable: () => options.sync(),
    receiptHead: () => readReceiptHead(sql, scopeId, digestToken),
    settleCall: (settlement) => announceIf(() => settleCall(options, scopeId, settlement)),
    appendNotes: (notes) => appendNotes(options, notes),
    appendRound: (round) => appendRound(options, round),
    finish: (end) => announceIf(() => finishTurn(options, end)),
    readResult: (range) => sliceResult(sql, range),
    cancelled: () => readHold(sql, turn.n)?.cancelAsked === true,
  };
}
