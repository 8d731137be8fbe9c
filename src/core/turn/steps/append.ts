/** Step 10, append: a whole round enters history at once – the assistant message, every result in slot order, the notes behind them. Rules: HI2, HI3, HI9. */
import type { AssistantEntry, HistoryEntry } from "../../../contracts/message.ts";
import type { TurnEvent } from "../../../contracts/turn-event.ts";
import type { FilledSlots } from "../call-slots.ts";
import type { ToolLoop } from "../turn-context.ts";

export interface Round {
  readonly message: AssistantEntry;
  readonly results: FilledSlots;
  /** Text by the runtime for the model, behind the last result. */
  readonly notes: readonly string[];
  readonly events: readonly TurnEvent[];
}

export function appendRound(loop: ToolLoop, { message, results, notes, events }: Round): void {
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
    ...notes.map((text) => ({ kind: "note" as const, turn, text })),
  ];
  loop.journal.appendRound({ step: loop.iteration, entries, events });
  loop.history.push(...entries);
}
