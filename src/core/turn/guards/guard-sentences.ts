/** What a guard tells the model: notes behind a round, and results of calls it kept from running. Rules: BD2, CP13, CP16, LC14, LC15, LC20. */
import { cutCodePoints } from "../../../policy/cut-text.ts";
import type { LoopVerdict } from "./loop-detector.ts";
import type { LoopPatternName } from "./loop-patterns.ts";

const MOST_NAME_CHARS = 160;

const quote = (tool: string): string => `"${cutCodePoints(tool, MOST_NAME_CHARS, "…")}"`;

const observations: Readonly<Record<LoopPatternName, (tool: string, count: number) => string>> = {
  exact_repeat: (tool, count) => `${tool} was called ${count} times in a row with the same arguments.`,
  ping_pong: (tool, count) => `${tool} and another tool have been called in turns for ${count} cycles.`,
  no_progress: (tool, count) => `${count} calls of ${tool} with different arguments brought the same output.`,
};

/** The note of a verdict, for behind the round's last result (HI9). */
export function loopNote({ level, pattern, tool, count }: LoopVerdict): string {
  const observation = observations[pattern](quote(tool), count);
  return level === "warn"
    ? `${observation} That looks like a loop. Try another tool, other arguments, or answer with what you have.`
    : `${observation} That is a loop: these calls are refused until something else has been done. Take another way, or answer with what you have.`;
}

export const blockedByLoop = (tool: string): string =>
  `This call of ${quote(tool)} is part of a loop and was refused; it was not run. An identical call would be refused again: take another way.`;

export const repeatedPrompt = (tool: string): string =>
  `This call of ${quote(tool)} was not allowed earlier in this turn. It was refused without asking again, and an identical call would be refused again.`;

/** Left as assistant text when a repeated prompt has ended the frame. */
export const repeatedPromptNotice =
  "I stopped here: I was about to ask again for something that was not allowed earlier in this turn.";
