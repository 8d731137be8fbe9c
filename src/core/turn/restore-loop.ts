/** A turn is taken up again: each frame as its rows have it, and where it goes on. Rules: CK3, CK5, CK8–CK10, CK15, CK16, CK18, RX7, RX8. */
import type { FrameRows, TurnJournal } from "../../contracts/turn-journal.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import { pinExecution } from "../execution/pin-execution.ts";
import { type FramePins, type FrameState, type SharedState, readPins, readState } from "./checkpoint.ts";
import { createFrameGuards, createTurnGuards } from "./guards/guards.ts";
import { restoreListing } from "./deferred-tools.ts";
import { followed, openTurn } from "./open-frame.ts";
import { restoreBatch } from "./restore-batch.ts";
import { type LoopStart, atTheBeginning } from "./tool-loop.ts";
import { withoutTrimmed } from "./trim-history.ts";
import {
  type Frame,
  type FrameParts,
  type ToolLoop,
  type ToolLoopParts,
  type TurnShared,
  createTurnShared,
  wireIdsOf,
} from "./turn-context.ts";

export interface RestoredLoop {
  readonly loop: ToolLoop;
  readonly start: LoopStart;
}
type Restored = Result<RestoredLoop, "checkpoint_version">;

/**
 * The turn's own frame; those of its delegates are taken up when the calls that opened them are met (CK16). Before anything goes on,
 * all of them must be readable.
 */
export function restoreTurn(parts: ToolLoopParts): Restored {
  const { journal, execution } = parts;
  const rows = journal.readFrame();
  if (rows === undefined) return succeed({ loop: openTurn(parts), start: atTheBeginning });
  if (!journal.openFrames().every(isReadable)) return failWith("checkpoint_version");
  const newest = journal.turnCheckpoint();
  const state = newest === undefined ? undefined : readState(newest);
  if (state?.ok === false) return state;
  const shared = state === undefined ? createTurnShared(execution) : restoreShared(parts, state.value.shared);
  return restoreFrame({ ...parts, shared, frame: { depth: 0 } }, rows);
}

const isReadable = ({ record, checkpoint }: FrameRows): boolean =>
  readPins(record.pinned).ok && (checkpoint === undefined || readState(checkpoint).ok);

/** A delegate's frame under the call that opened it. */
export function restoreDelegate(
  caller: ToolLoop,
  { journal, rows, execution }: Pick<ToolLoop, "journal" | "execution"> & { readonly rows: FrameRows },
): RestoredLoop {
  const { identity, cancel, shared, runDelegate } = caller;
  const { depth, parentAgent, parentCalls } = rows.record;
  const frame: Frame = {
    depth,
    ...(parentAgent === undefined ? {} : { parentAgent }),
    ...(parentCalls === undefined ? {} : { parentCalls }),
  };
  const parts = { identity, cancel, shared, runDelegate, journal, execution, hidden: new Set<string>(), frame };
  const restored = restoreFrame(parts, rows);
  if (!restored.ok) throw new Error(`the frame of ${parentCalls?.at(-1)} was readable when its turn was taken up`);
  return restored.value;
}

function restoreShared({ execution, journal }: ToolLoopParts, { ranMs, guards, ...state }: SharedState): TurnShared {
  return {
    ...state,
    receipts: [...journal.issuedReceipts()],
    guards: createTurnGuards(guards),
    ranBeforeMs: ranMs,
    since: execution.ports.now(),
  };
}

function restoreFrame(parts: FrameParts, rows: FrameRows): Restored {
  const pins = readPins(rows.record.pinned);
  if (!pins.ok) return pins;
  const state = rows.checkpoint === undefined ? undefined : readState(rows.checkpoint);
  if (state?.ok === false) return failWith(state.failure);
  const loop = followed(toLoop(parts, pins.value, state?.value));
  return succeed({ loop, start: startOf(loop, rows) });
}

function toLoop(parts: FrameParts, pins: FramePins, state: FrameState | undefined): ToolLoop {
  const execution = pinExecution(parts.execution, pins);
  const history = parts.journal.history();
  const kept = state?.keptTurns === undefined ? {} : { keptTurns: state.keptTurns };
  return {
    ...parts,
    execution,
    model: state === undefined ? execution.model : execution.bindModel(state.model),
    ...(state?.switchTo === undefined ? {} : { switchTo: state.switchTo }),
    history: [...withoutTrimmed(history, { turn: parts.identity.turn, ...kept })],
    usedWireIds: wireIdsOf(history),
    hidden: new Set(pins.hidden),
    listing: restoreListing(execution, pins.listed),
    guards: createFrameGuards(execution.knobs.pacing, state?.guards),
    iteration: state?.iteration ?? 0,
    reportedTokens: state?.reportedTokens ?? 0,
    ...(state?.stop === undefined ? {} : { stop: state.stop }),
  };
}

function startOf(loop: ToolLoop, { step }: FrameRows): LoopStart {
  if (step === undefined) return atTheBeginning;
  switch (step.state) {
    case "asked":
      // It may have been answered, and paid for, without anyone here to hear it.
      loop.shared.usage = { ...loop.shared.usage, exact: false };
      return { kind: "ask", attempt: step.attempt + 1 };
    case "answered":
      return startInAnswer(loop, loop.journal);
    case "closed":
      return loop.stop === undefined ? atTheBeginning : { kind: "stop", stop: loop.stop };
    default:
      return step.state satisfies never;
  }
}

/** A stored answer is never asked for again: it is the last word, or its batch goes on. */
function startInAnswer(loop: ToolLoop, journal: TurnJournal): LoopStart {
  const response = journal.stepResponse(loop.iteration);
  const calls = journal.batchCalls(loop.iteration);
  return calls.length === 0 ? { kind: "answer", ...response } : restoreBatch(loop, response, calls);
}
