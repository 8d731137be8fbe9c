/** TurnContext: what belongs to one message – identity, journal, history, counters – and dies with its turn. Rules: RX2, RX8, EV10. */
import type { HistoryEntry } from "../../contracts/message.ts";
import type { CancelSignal, TurnJournal } from "../../contracts/ports.ts";
import type { TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { IssuedReceipt, TurnUsage } from "../../contracts/turn.ts";
import type { ResolvedAgentExecution } from "../execution/resolved-agent-execution.ts";

export interface TurnIdentity {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: string;
  readonly channel: string;
  readonly subject: string;
}

/** Counters of the turn; each only ever grows. */
export interface TurnProgress {
  iteration: number;
  /** Calls minted so far, over the whole turn (PA15). */
  calls: number;
  usage: TurnUsage;
  readonly receipts: IssuedReceipt[];
}

export interface ToolLoop {
  readonly execution: ResolvedAgentExecution;
  readonly identity: TurnIdentity;
  readonly journal: TurnJournal;
  readonly cancel: CancelSignal;
  readonly history: HistoryEntry[];
  readonly progress: TurnProgress;
}

const NO_USAGE: TurnUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  exact: true,
};

export type ToolLoopParts = Pick<ToolLoop, "execution" | "identity" | "journal" | "cancel">;

/** The user message is in the journal since the turn was accepted; the history read here ends with it (RX9). */
export function createToolLoop(parts: ToolLoopParts): ToolLoop {
  return {
    ...parts,
    history: [...parts.journal.history()],
    progress: { iteration: 0, calls: 0, usage: NO_USAGE, receipts: [] },
  };
}

/** Every event of the turn is made here, so that all carry the same turn, agent and channel. */
export function eventOf(loop: ToolLoop, body: TurnEventBody): TurnEvent {
  const { turn, channel } = loop.identity;
  const context = { turn, channel, agent: loop.execution.agent.alias };
  return body.type === "turn_finished"
    ? { ...context, ...body }
    : { ...context, iteration: loop.progress.iteration, ...body };
}

export function addUsage(total: TurnUsage, more: TurnUsage): TurnUsage {
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    cachedTokens: total.cachedTokens + more.cachedTokens,
    reasoningTokens: total.reasoningTokens + more.reasoningTokens,
    costUsd: total.costUsd + more.costUsd,
    exact: total.exact && more.exact,
  };
}
