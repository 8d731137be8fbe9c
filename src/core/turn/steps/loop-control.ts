/** Step 11, loop control: whether there is another iteration, and how a frame without one ends. Rules: LC1–LC4, LC9, LC14–LC19, LC21, LC24, LC26, LC27. */
import type { AssistantEntry } from "../../../contracts/message.ts";
import type { TurnEvent } from "../../../contracts/turn-event.ts";
import { closeWithSummary } from "../closing-summary.ts";
import type { FilledSlots, RecordedResult } from "../call-slots.ts";
import { loopNote } from "../guards/guard-sentences.ts";
import type { LoopVerdict } from "../guards/loop-detector.ts";
import { switchModel } from "../model-switch.ts";
import { type EndedOutcome, cancelledHere } from "../outcome.ts";
import * as sentences from "../runtime-sentences.ts";
import { type GuardStop, type ToolLoop, eventOf, runningMs } from "../turn-context.ts";
import { sweepHistory } from "../sweep-history.ts";
import { reportedBudget, trimAtStart, trimToReported } from "../trim-history.ts";

/** Takes the next iteration, or gives the end of a frame that has none left. */
export async function enterIteration(loop: ToolLoop): Promise<EndedOutcome | undefined> {
  if (loop.cancel.aborted) return cancelledHere;
  const cap = capReached(loop);
  if (cap !== undefined) return closeWithSummary(loop, { kind: "capped", reason: cap });
  loop.history.push(...loop.journal.takeSteering((text) => eventOf(loop, { type: "steering", text })));
  loop.iteration += 1;
  loop.shared.pot -= 1;
  sweepHistory(loop);
  if (loop.iteration === 1) trimAtStart(loop);
  switchModel(loop);
  loop.journal.openStep({ step: loop.iteration, attempt: 1 });
  return undefined;
}

/** The request of this iteration was cut off before it was answered; what history it needs is as it was. */
export function askAgain(loop: ToolLoop, attempt: number): EndedOutcome | undefined {
  if (loop.cancel.aborted) return cancelledHere;
  sweepHistory(loop);
  loop.journal.openStep({ step: loop.iteration, attempt });
  return undefined;
}

function capReached({ iteration, execution, shared }: ToolLoop): "max_tool_iterations" | "shared_budget" | undefined {
  if (iteration >= execution.knobs.maxToolIterations) return "max_tool_iterations";
  return shared.pot <= 0 ? "shared_budget" : undefined;
}

/** Whether a response without calls is the answer: not when somebody spoke meanwhile and an iteration is left (LC1). */
export const endsHere = (loop: ToolLoop): boolean => !loop.journal.hasSteering() || capReached(loop) !== undefined;

export function endWithText(loop: ToolLoop, message: AssistantEntry, finishReason: string): EndedOutcome | undefined {
  const budget = reportedBudget(loop);
  const ends = endsHere(loop);
  if (!ends) loop.journal.appendRound({ step: loop.iteration, entries: [message] });
  loop.history.push(message);
  trimToReported(loop, budget);
  return ends ? { kind: "final", finishReason, text: message.text, entries: [message] } : undefined;
}

const MOST_MALFORMED = 2;

/** A response whose protocol cannot be read is forgotten; the model is told, twice in a turn, and then the turn stops. */
export function rejectMalformed(loop: ToolLoop): EndedOutcome | undefined {
  const { turn } = loop.identity;
  loop.shared.guards.malformed += 1;
  if (loop.shared.guards.malformed > MOST_MALFORMED) {
    const text = sentences.malformedApology;
    const entries = [{ kind: "assistant", turn, text, calls: [] }] as const;
    return { kind: "stopped", reason: "malformed_protocol", text, entries };
  }
  const note = { kind: "note", turn, text: sentences.malformedNote } as const;
  loop.journal.appendNotes([note]);
  loop.history.push(note);
  return undefined;
}

export interface RoundVerdict {
  readonly notes: readonly string[];
  /** What clients are told of it, together with the round. */
  readonly events: readonly TurnEvent[];
  /** Set when the frame ends once the round is in history. */
  readonly stop?: GuardStop;
}

/** All calls of the round are looked at, also behind one that breaks the loop (LC17). */
export function controlRound(loop: ToolLoop, results: FilledSlots): RoundVerdict {
  if (loop.cancel.aborted) return { notes: [], events: [] };
  const verdicts = results.flatMap((result) => judgeRepetition(loop, result) ?? []);
  const events = verdicts.map((verdict) => eventOf(loop, { type: "loop_warning", ...verdict }));
  const notes = verdicts.filter(({ level }) => level !== "break").map(loopNote);
  const broken = verdicts.some(({ level }) => level === "break") || repeatsRounds(loop, results);
  return broken ? { notes, events, stop: "loop_detected" } : { notes, events };
}

function judgeRepetition({ guards }: ToolLoop, { compared, outcome }: RecordedResult): LoopVerdict | undefined {
  if (compared === undefined) return undefined;
  const { tool, argsDigest, outputDigest } = compared;
  if (outputDigest === undefined) return guards.loopDetector.recordRefused({ tool, argsDigest });
  const { disposition, success } = outcome;
  return guards.loopDetector.record({ tool, argsDigest, outputDigest, disposition, success });
}

function repeatsRounds(loop: ToolLoop, results: FilledSlots): boolean {
  const ended = results.flatMap(({ compared, outcome: { disposition, success } }) =>
    compared?.outputDigest === undefined
      ? []
      : [{ ...compared, outputDigest: compared.outputDigest, disposition, success }],
  );
  return loop.guards.identicalOutput.endsWith(ended, runningMs(loop));
}
