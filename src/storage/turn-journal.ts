/** The journal of one running turn: the core's port over the named transactions. Rules: DU12, DU14, G3. */
import type { LoopCheckpoint, TurnJournal } from "../contracts/turn-journal.ts";
import { closeCharge } from "./charge-store.ts";
import { listMemory } from "./memory-store.ts";
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
import { openStep } from "./transactions/open-step.ts";
import { readyCalls } from "./transactions/ready-calls.ts";
import { settleCall } from "./transactions/settle-call.ts";
import { settleUnrun } from "./transactions/settle-unrun.ts";
import { startCall } from "./transactions/start-call.ts";
import { storeMemory } from "./transactions/store-memory.ts";
import { suspendTurn } from "./transactions/suspend-turn.ts";
import { takeSteering } from "./transactions/take-steering.ts";
import { createTurnReads } from "./turn-reads.ts";

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
  const { sql, frame, scopeId, onCommitted } = options;
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
    ...createTurnReads(options),
    follow: (checkpoint) => {
      follow = checkpoint;
    },
    openFrame: (record, entries) => openFrame(options, record, entries),
    delegateFrame: (callId) => createFrameJournal({ ...options, frame: callId }),
    endFrame: (outcome, left) => announce(() => endFrame(options, { outcome, ...left, checkpoint: follow?.() })),
    closeFrame: (outcome, seal) => announce(() => closeFrame(options, { outcome, seal })),
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
    activate: (activations) => activateTools(options, activations),
    barTool: (barred) => barTool(options, barred),
    takeSteering: (toEvent) => {
      const entries = frame === rootFrame ? takeSteering(options, toEvent) : [];
      if (entries.length > 0) onCommitted();
      return entries;
    },
    startCall: (start) => announceIf(() => startCall(options, start)),
    durable: () => options.sync(),
    settleCall: (settlement) => announceIf(() => settleCall(options, scopeId, settlement)),
    appendNotes: (notes) => appendNotes(options, notes),
    appendRound: (round) => announce(() => appendRound(options, round, follow?.())),
    finish: (end) => announceIf(() => finishTurn(options, end)),
    memory: (agent) => ({
      list: () => listMemory(sql, agent),
      store: (entry) => storeMemory(options, agent, entry),
    }),
  };
}
