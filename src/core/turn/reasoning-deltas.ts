/** Reasoning deltas: what a reader gets of a model's thinking – its text, a sign that it thinks, or nothing. Rules: PV9. */
import { TextDeltas } from "./text-deltas.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";
import { wellFormedChunks } from "./well-formed-chunks.ts";

const STATUS_MS = 1000;

export interface ReasoningDeltas {
  push(text: string): void;
  /** Writes what was held back; to be called before text that follows the thinking, and by whoever ends the stream. */
  finish(): void;
}

export function createReasoningDeltas(loop: ToolLoop, messageId: string): ReasoningDeltas {
  switch (loop.execution.knobs.draftReasoning) {
    case "full":
      return fullText(loop, messageId);
    case "status":
      return signsOfLife(loop, messageId);
    case "off":
      return { push: () => undefined, finish: () => undefined };
    default:
      return loop.execution.knobs.draftReasoning satisfies never;
  }
}

function fullText(loop: ToolLoop, messageId: string): ReasoningDeltas {
  const deltas = new TextDeltas(loop, { messageId, type: "reasoning_delta" });
  const chunks = wellFormedChunks();
  return {
    push: (text) => deltas.push(chunks.next(text)),
    finish: () => {
      deltas.push(chunks.end());
      deltas.finish();
    },
  };
}

/** At most one a second, and none while nothing comes. */
function signsOfLife(loop: ToolLoop, messageId: string): ReasoningDeltas {
  let last: number | undefined;
  return {
    push: (text) => {
      const now = loop.execution.ports.now();
      if (text === "" || (last !== undefined && now - last < STATUS_MS)) return;
      last = now;
      loop.journal.appendEvents([eventOf(loop, { type: "reasoning_delta", messageId })]);
    },
    finish: () => undefined,
  };
}
