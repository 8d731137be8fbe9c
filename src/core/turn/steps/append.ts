/** Step 10, append: a whole round enters history at once – the assistant message, then every result in slot order. Rules: HI2, HI3. */
import type { AssistantEntry, HistoryEntry } from "../../../contracts/message.ts";
import type { FilledSlots } from "../call-slots.ts";
import type { ToolLoop } from "../turn-context.ts";

export function appendRound(loop: ToolLoop, message: AssistantEntry, results: FilledSlots): void {
  const { turn } = loop.identity;
  const entries: readonly HistoryEntry[] = [
    message,
    ...results.map(({ call, outcome, modelText }) => ({
      kind: "tool" as const,
      turn,
      callId: call.callId,
      wireId: call.wireId,
      tool: call.tool,
      text: modelText,
      success: outcome.success,
    })),
  ];
  loop.journal.appendRound({ step: loop.progress.iteration, entries });
  loop.history.push(...entries);
}
