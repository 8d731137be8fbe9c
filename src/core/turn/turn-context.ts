/** TurnContext: what belongs to one message – identity, journal, history, guards, counters – and dies with its turn. Rules: RX2, RX8, EV10. */
import type { HistoryEntry } from "../../contracts/message.ts";
import type { CancelSignal, TurnJournal } from "../../contracts/ports.ts";
import type { EventContext, TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import type { IssuedReceipt, TurnUsage } from "../../contracts/turn.ts";
import type { ResolvedAgentExecution } from "../execution/resolved-agent-execution.ts";
import { type StubListing, openDeferredTools } from "./deferred-tools.ts";
import { type FrameGuards, type TurnGuards, createFrameGuards, createTurnGuards } from "./guards/guards.ts";

export interface TurnIdentity {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: string;
  readonly channel: string;
  readonly subject: string;
  /** True when a person can be asked, through the entry or a backchannel. */
  readonly interactive: boolean;
  /** Where answers go when the entry names a place (`reply_to`). */
  readonly replyTarget?: string;
}

/** What all frames of a turn share; each counter only ever grows, but for the pot. */
export interface TurnShared {
  /** Iterations left for the whole turn (LC3). */
  pot: number;
  /** Calls minted so far (PA15). */
  calls: number;
  usage: TurnUsage;
  readonly receipts: IssuedReceipt[];
  readonly guards: TurnGuards;
}

/** One ToolLoop of a turn: the root's, or a delegate's under the calls that led to it. */
export interface Frame {
  readonly depth: number;
  readonly parentAgent?: string;
  readonly parentCalls: readonly string[];
}

export interface ToolLoop {
  readonly execution: ResolvedAgentExecution;
  readonly identity: TurnIdentity;
  readonly journal: TurnJournal;
  readonly cancel: CancelSignal;
  readonly history: HistoryEntry[];
  /** Of the whole conversation, also where trimming has cut history: no two calls ever share one (PA16). */
  readonly usedWireIds: Set<string>;
  readonly frame: Frame;
  readonly shared: TurnShared;
  readonly guards: FrameGuards;
  /** Names that this turn hides: by its message (TS7), and `tool_search` when it starts without a stub to find (TS11). */
  readonly hidden: ReadonlySet<string>;
  /** Of the stubs that there were to find when the turn began (TS11). */
  readonly listing: StubListing;
  /** Iterations that this frame has begun. */
  iteration: number;
  /** Milliseconds that the turn had run before this instance took it up; suspended time does not count. */
  readonly ranBeforeMs: number;
  /** Epoch milliseconds when this instance took it up. */
  readonly since: number;
  /** Input tokens that the provider reported last, for trimming (LC24). */
  reportedTokens: number;
}

const NO_USAGE: TurnUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  exact: true,
};

export type ToolLoopParts = Pick<ToolLoop, "execution" | "identity" | "journal" | "cancel" | "hidden">;

/** The user message is in the journal since the turn was accepted; the history read here ends with it (RX9). */
export function createToolLoop(parts: ToolLoopParts): ToolLoop {
  const { knobs } = parts.execution;
  const history = [...parts.journal.history()];
  return {
    ...parts,
    ...openDeferredTools(parts),
    history,
    usedWireIds: wireIdsOf(history),
    frame: { depth: 0, parentCalls: [] },
    shared: { pot: knobs.maxToolIterations, calls: 0, usage: NO_USAGE, receipts: [], guards: createTurnGuards() },
    guards: createFrameGuards(knobs.pacing),
    iteration: 0,
    ranBeforeMs: 0,
    since: parts.execution.ports.now(),
    reportedTokens: 0,
  };
}

export const wireIdsOf = (history: readonly HistoryEntry[]): Set<string> =>
  new Set(history.flatMap((entry) => (entry.kind === "assistant" ? entry.calls.map(({ wireId }) => wireId) : [])));

/** Running time of the turn so far. */
export const runningMs = ({ ranBeforeMs, since, execution }: ToolLoop): number =>
  ranBeforeMs + execution.ports.now() - since;

/** Every event of the turn is made here, so that all carry the same turn, agent and channel. */
export function eventOf(loop: ToolLoop, body: TurnEventBody): TurnEvent {
  const context = eventContext(loop);
  return body.type === "turn_finished" ? { ...context, ...body } : { ...context, iteration: loop.iteration, ...body };
}

function eventContext({ identity, execution, frame }: ToolLoop): EventContext {
  const context = { turn: identity.turn, agent: execution.agent.alias, channel: identity.channel };
  if (frame.parentAgent === undefined) return context;
  return { ...context, parentAgent: frame.parentAgent, parentCalls: frame.parentCalls };
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
