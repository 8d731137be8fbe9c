/** The guards of a turn and of its frames, together, with their states for a checkpoint. Rules: RX8, LC9, CP16. */
import type { RuntimeProfile } from "../../../contracts/agent-profile.ts";
import { type IdenticalOutput, type IdenticalOutputState, createIdenticalOutput } from "./identical-output.ts";
import { type LoopDetector, type LoopDetectorState, createLoopDetector } from "./loop-detector.ts";
import { type RepeatedPrompt, type RepeatedPromptState, createRepeatedPrompt } from "./repeated-prompt.ts";

/** Once per turn. */
export interface TurnGuards {
  readonly repeatedPrompt: RepeatedPrompt;
  /** Responses rejected so far because their protocol could not be read (LC9). */
  malformed: number;
}
export interface TurnGuardStates {
  readonly repeatedPrompt: RepeatedPromptState;
  readonly malformed: number;
}

/** Once per frame. */
export interface FrameGuards {
  readonly loopDetector: LoopDetector;
  readonly identicalOutput: IdenticalOutput;
}
export interface FrameGuardStates {
  readonly loopDetector: LoopDetectorState;
  readonly identicalOutput: IdenticalOutputState;
}

export const createTurnGuards = (states?: TurnGuardStates): TurnGuards => ({
  repeatedPrompt: createRepeatedPrompt(states?.repeatedPrompt),
  malformed: states?.malformed ?? 0,
});

export const turnGuardStates = ({ repeatedPrompt, malformed }: TurnGuards): TurnGuardStates => ({
  repeatedPrompt: repeatedPrompt.state(),
  malformed,
});

export const createFrameGuards = (pacing: RuntimeProfile["pacing"], states?: FrameGuardStates): FrameGuards => ({
  loopDetector: createLoopDetector(pacing, states?.loopDetector),
  identicalOutput: createIdenticalOutput(pacing, states?.identicalOutput),
});

export const frameGuardStates = ({ loopDetector, identicalOutput }: FrameGuards): FrameGuardStates => ({
  loopDetector: loopDetector.state(),
  identicalOutput: identicalOutput.state(),
});
