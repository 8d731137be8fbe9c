/** LoopCheckpoint: what of a ToolLoop is not in rows, as plain versioned JSON: what it is pinned to, and how it stands. Rules: CK2–CK4, CK18, RX7, RX8. */
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import type { FrameRecord, LoopCheckpoint } from "../../contracts/turn-journal.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import type { TurnUsage } from "../../contracts/turn.ts";
import { modelName } from "../execution/model-binding.ts";
import { type PinnedExecution, grantedNames } from "../execution/pin-execution.ts";
import type { RuntimeKnobs } from "../execution/runtime-knobs.ts";
import { type FrameGuardStates, type TurnGuardStates, frameGuardStates, turnGuardStates } from "./guards/guards.ts";
import { turnsKept } from "./trim-history.ts";
import { type GuardStop, type ToolLoop, type TurnShared, runningMs } from "./turn-context.ts";

const VERSION = 1;
/** A release reads its own and the two before it. */
const OLDEST_READABLE = 1;

interface Versioned {
  readonly version: number;
}

/** For the whole life of a frame: its lists, its knobs, what it does not see (RX7, TS7). */
export interface FramePins extends PinnedExecution, Versioned {
  readonly hidden: readonly string[];
  /** Names of the stubs in the frame's listing; absent when there was none (TS11). */
  readonly listed?: readonly string[];
}

/** How a frame stood, and what it shared with the others then. Texts, arguments and results are in rows, found by id; keys and secrets are nowhere here (CK4). */
export interface FrameState extends Versioned {
  readonly shared: SharedState;
  /** In use, as `provider/model`; `switchTo`: from the next iteration (LC29). */
  readonly model: string;
  readonly switchTo?: string;
  readonly iteration: number;
  readonly reportedTokens: number;
  readonly guards: FrameGuardStates;
  /** History turns that were left to send once older ones had been trimmed away; absent when none had. */
  readonly keptTurns?: number;
  readonly stop?: GuardStop;
}
export interface SharedState extends Pick<TurnShared, "pot" | "calls" | "unmetered" | "overBudget" | "checkpoints"> {
  readonly usage: TurnUsage;
  readonly ranMs: number;
  readonly guards: TurnGuardStates;
}

/** Each is the turn's newest: its number is counted here. */
export function takeCheckpoint(loop: ToolLoop): LoopCheckpoint {
  const { shared } = loop;
  shared.checkpoints += 1;
  const keptTurns = turnsKept(loop);
  const state: FrameState = {
    version: VERSION,
    shared: {
      pot: shared.pot,
      calls: shared.calls,
      unmetered: shared.unmetered,
      overBudget: shared.overBudget,
      checkpoints: shared.checkpoints,
      usage: shared.usage,
      ranMs: runningMs(loop),
      guards: turnGuardStates(shared.guards),
    },
    model: modelName(loop.model),
    ...(loop.switchTo === undefined ? {} : { switchTo: loop.switchTo }),
    iteration: loop.iteration,
    reportedTokens: loop.reportedTokens,
    guards: frameGuardStates(loop.guards),
    ...(keptTurns === undefined ? {} : { keptTurns }),
    ...(loop.stop === undefined ? {} : { stop: loop.stop }),
  };
  return { n: shared.checkpoints, body: state };
}

/** What the frame's row says of it for good. */
export function describeFrame({
  execution,
  frame,
  hidden,
  listing,
}: Pick<ToolLoop, "execution" | "frame" | "hidden" | "listing">): FrameRecord {
  const pins: FramePins = {
    version: VERSION,
    knobs: execution.knobs,
    risk: execution.risk,
    granted: grantedNames(execution.registry),
    reachable: execution.delegates.reachable,
    hidden: [...hidden],
    ...(listing.names.length === 0 ? {} : { listed: listing.names }),
  };
  return { ...frame, agent: execution.agent.alias, pinned: toPlain(pins) };
}

/** One trip through text: what is stored is data, with no function or shared reference in it. */
const toPlain = (value: FramePins): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** A version that cannot be read is never guessed at (CK18). */
export const readPins = (stored: JsonValue): Result<FramePins, "checkpoint_version"> =>
  isReadable(stored) ? succeed(stored as JsonObject & FramePins) : failWith("checkpoint_version");

export const readState = (stored: JsonValue): Result<FrameState, "checkpoint_version"> =>
  isReadable(stored) ? succeed(stored as JsonObject & FrameState) : failWith("checkpoint_version");

/** The knobs that a frame is pinned to, for what happens to its calls while it waits. */
export function readPinnedKnobs(stored: JsonValue): RuntimeKnobs | undefined {
  const pins = readPins(stored);
  return pins.ok ? pins.value.knobs : undefined;
}

function isReadable(stored: JsonValue): boolean {
  if (typeof stored !== "object" || stored === null || !("version" in stored)) return false;
  const { version } = stored;
  return typeof version === "number" && version >= OLDEST_READABLE && version <= VERSION;
}
