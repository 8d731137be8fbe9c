/** A progress board on its own: what is shown on it wakes whoever waits for the log. */
import { ConversationProgress } from "../../durable-objects/progress-board.ts";

export const createBoard = (
  fanout: { wake(): void } = { wake: () => undefined },
  conversation = "conversation_1",
): ConversationProgress =>
  new ConversationProgress({
    conversation,
    now: () => Date.now(),
    redact: (_agent, data) => data,
    wake: () => fanout.wake(),
  });
