/** How a frame ends that a guard stops, once the round that it looked at is in history. Rules: LC16, LC20, HI10. */
import { closeWithSummary } from "./closing-summary.ts";
import { repeatedPromptNotice } from "./guards/guard-sentences.ts";
import type { EndedOutcome } from "./outcome.ts";
import type { GuardStop, ToolLoop } from "./turn-context.ts";

export async function endStopped(loop: ToolLoop, stop: GuardStop): Promise<EndedOutcome> {
  if (stop === "loop_detected") return await closeWithSummary(loop, { kind: "stopped", reason: stop });
  const { turn } = loop.identity;
  const text = repeatedPromptNotice;
  return { kind: "stopped", reason: stop, text, entries: [{ kind: "assistant", turn, text, calls: [] }] };
}
