/** Identical output: rounds that keep bringing the same results end the turn. Rules: LC18, LC19. */
import type { RuntimeProfile } from "../../../contracts/agent-profile.ts";
import { digestText } from "../../../receipts/digest.ts";
import { countsForLoops, type EndedCall } from "./loop-record.ts";

export interface IdenticalOutputState {
  /** How many rounds in a row brought what the one before them did. */
  readonly repeats: number;
  /** Of the last round that brought anything. */
  readonly digest?: string;
}

export interface IdenticalOutput {
  /** All calls of a finished round in slot order; true ends the turn (LC16). A cancelled round stays out (DI10). */
  endsWith(round: readonly EndedCall[], runningMs: number): boolean;
  state(): IdenticalOutputState;
}

export type IdenticalOutputSettings = Pick<RuntimeProfile["pacing"], "loopDetectionMinElapsedSecs" | "loopIgnoreTools">;

const MOST_REPEATS = 3;

/** One per frame. `runningMs` is time spent running, suspensions left out. */
export function createIdenticalOutput(
  { loopDetectionMinElapsedSecs: minElapsedSecs, loopIgnoreTools }: IdenticalOutputSettings,
  state: IdenticalOutputState = { repeats: 0 },
): IdenticalOutput {
  let current = state;
  return {
    endsWith(round, runningMs) {
      if (minElapsedSecs === null || runningMs < minElapsedSecs * 1000) return false;
      const outputs = round.filter((call) => countsForLoops(call, loopIgnoreTools));
      if (outputs.length === 0) return false;
      const digest = digestText(outputs.map(({ outputDigest }) => outputDigest).join("\n"));
      current = { digest, repeats: digest === current.digest ? current.repeats + 1 : 0 };
      return current.repeats >= MOST_REPEATS;
    },
    state: () => current,
  };
}
