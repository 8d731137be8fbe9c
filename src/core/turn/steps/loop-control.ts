/** Step 11, loop control: whether there is another iteration, and how a turn without one ends. Rules: LC1, LC2, LC4, DI10. */
import type { AssistantEntry } from "../../../contracts/message.ts";
import { closeAtCap } from "../closing-summary.ts";
import type { LoopOutcome } from "../outcome.ts";
import type { ToolLoop } from "../turn-context.ts";

/** Takes the next iteration, or gives the end of a turn that has none left. */
export async function enterIteration(loop: ToolLoop): Promise<LoopOutcome | undefined> {
  if (loop.cancel.aborted) return { kind: "cancelled", reason: "cancel", text: "", entries: [] };
  if (loop.progress.iteration >= loop.execution.knobs.maxToolIterations) return closeAtCap(loop);
  loop.progress.iteration += 1;
  loop.journal.openStep({ step: loop.progress.iteration, attempt: 1 });
  return undefined;
}

/** A response without calls is the answer. */
export function endWithText(message: AssistantEntry, finishReason: string): LoopOutcome {
  return { kind: "final", finishReason, text: message.text, entries: [message] };
}
