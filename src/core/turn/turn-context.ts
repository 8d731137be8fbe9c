/** TurnContext: what belongs to one message – identity, journal, history, guards, counters – and dies with its turn. Rules: RX2, RX8, EV10. */
import type { HistoryEntry } from "../../contracts/message.ts";
import type { ObserverContext } from "../../contracts/observer.ts";
import type { CancelSignal } from "../../contracts/ports.ts";
import type { FrameRecord, TurnJournal } from "../../contracts/turn-journal.ts";
import type { TurnEvent, TurnEventBody } from "../../contracts/turn-event.ts";
import { type IssuedReceipt, type TurnUsage, noUsage } from "../../contracts/turn.ts";
import type { ModelBinding } from "../execution/model-binding.ts";
import type { ResolvedAgentExecution } from "../execution/resolved-agent-execution.ts";
import type { StubListing } from "./deferred-tools.ts";
import type { RawResult } from "./execute-call.ts";
import type { Suspended } from "./outcome.ts";
import type { StartedCall } from "./steps/dispatch.ts";
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
  /** Milliseconds that the turn had run before this instance took it up; suspended time does not count. */
  readonly ranBeforeMs: number;
  /** Epoch milliseconds when this instance took it up. */
  readonly since: number;
  /** Model calls in a row that went ahead although the meter could not be read (LC30). */
  unmetered: number;
  /** The budget has refused a call of this turn: none of its frames makes another. */
  overBudget: boolean;
  /** Checkpoints taken so far, by all frames. */
  checkpoints: number;
}

/** One ToolLoop of a turn: its own, or a delegate's under the calls that led to it. */
export type Frame = Pick<FrameRecord, "depth" | "parentAgent" | "parentCalls">;

export type RunDelegate = (caller: ToolLoop, call: StartedCall) => Promise<RawResult | Suspended>;

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
  /** Names that this turn hides: by its message (TS7), `tool_search` when it starts without a stub to find (TS11), and what the provider has refused since (SC8). */
  hidden: ReadonlySet<string>;
  /** Runs the frame that a delegate's call opens, to where it ends or must wait; the same for all frames of a turn. */
  readonly runDelegate: RunDelegate;
  /** Of the stubs that there were to find when the turn began (TS11). */
  readonly listing: StubListing;
  /** In use by this frame alone (LC29). */
  model: ModelBinding;
  /** What a tool asked for: in use from the next iteration. */
  switchTo?: string;
  /** Iterations that this frame has begun. */
  iteration: number;
  /** Input tokens that the provider reported last, for trimming (LC24). */
  reportedTokens: number;
  /** Set with the round behind which a guard ends the frame, so that whoever takes it up again ends it too. */
  stop?: GuardStop;
}
export type GuardStop = "repeated_prompt" | "loop_detected";

export type ToolLoopParts = Pick<ToolLoop, "execution" | "identity" | "journal" | "cancel" | "runDelegate" | "hidden">;

/** The same of any frame. */
export type FrameParts = ToolLoopParts & Pick<ToolLoop, "frame" | "shared">;

/** What a turn starts with. */
export const createTurnShared = ({ knobs, ports }: ResolvedAgentExecution): TurnShared => ({
  pot: knobs.maxToolIterations,
  calls: 0,
  usage: noUsage,
  receipts: [],
  guards: createTurnGuards(),
  ranBeforeMs: 0,
  since: ports.now(),
  unmetered: 0,
  overBudget: false,
  checkpoints: 0,
});

/** A frame at its beginning. The history read here ends with what it was asked, which is in the journal already (RX9). */
export function createToolLoop(parts: FrameParts & Pick<ToolLoop, "listing">): ToolLoop {
  const history = [...parts.journal.history()];
  return {
    ...parts,
    model: parts.execution.model,
    history,
    usedWireIds: wireIdsOf(history),
    guards: createFrameGuards(parts.execution.knobs.pacing),
    iteration: 0,
    reportedTokens: 0,
  };
}

export const wireIdsOf = (history: readonly HistoryEntry[]): Set<string> =>
  new Set(history.flatMap((entry) => (entry.kind === "assistant" ? entry.calls.map(({ wireId }) => wireId) : [])));

/** Running time of the turn so far. */
export const runningMs = ({ shared, execution }: ToolLoop): number =>
  shared.ranBeforeMs + execution.ports.now() - shared.since;

/** Iterations that all frames of the turn have begun: what its own frame was given for them, less what is left. */
export const iterationsOf = ({ execution, shared }: ToolLoop): number => execution.knobs.maxToolIterations - shared.pot;

/** Of a message that streams; no two frames of a turn share one. */
export const messageIdOf = ({ frame, identity }: ToolLoop, part: number | "summary"): string =>
  `msg_${frame.parentCalls?.at(-1) ?? identity.turn}_${part}`;

/** Every event of the turn is made here, so that all carry the same turn, agent and channel. */
export function eventOf(loop: ToolLoop, body: TurnEventBody): TurnEvent {
  const context = eventContext(loop);
  return body.type === "turn_finished" ? { ...context, ...body } : { ...context, iteration: loop.iteration, ...body };
}

/** What events and observer records have in common. */
export function eventContext({ identity, execution, frame }: ToolLoop): ObserverContext {
  const context = { turn: identity.turn, agent: execution.agent.alias, channel: identity.channel };
  const { parentAgent, parentCalls = [] } = frame;
  return parentAgent === undefined ? context : { ...context, parentAgent, parentCalls };
}
