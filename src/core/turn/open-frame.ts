/** A frame begins: the turn's own, or a delegate's under the call that opens it. Rules: RX2, RX7–RX9, RX13, DG6. */
import type { HistoryEntry } from "../../contracts/message.ts";
import { describeFrame, takeCheckpoint } from "./checkpoint.ts";
import { type ToolLoop, type ToolLoopParts, createToolLoop, createTurnShared } from "./turn-context.ts";

/** The user message is in the journal since the turn was accepted. */
export function openTurn(parts: ToolLoopParts): ToolLoop {
  const loop = followed(createToolLoop({ ...parts, frame: { depth: 0 }, shared: createTurnShared(parts.execution) }));
  loop.journal.openFrame(describeFrame(loop), []);
  return loop;
}

/** Shares with its caller what frames share, and nothing of its history. */
export function openDelegate(
  caller: ToolLoop,
  callId: string,
  { entries, ...own }: Pick<ToolLoop, "execution" | "hidden"> & { readonly entries: readonly HistoryEntry[] },
): ToolLoop {
  const { identity, cancel, shared, frame, execution } = caller;
  const journal = caller.journal.delegateFrame(callId);
  const below = {
    depth: frame.depth + 1,
    parentAgent: execution.agent.alias,
    parentCalls: [...(frame.parentCalls ?? []), callId],
  };
  const parts = { ...own, identity, cancel, shared, journal, frame: below };
  journal.openFrame(describeFrame(parts), entries);
  return followed(createToolLoop(parts));
}

/** From here on every step of the frame is written with how it then stands. */
export function followed(loop: ToolLoop): ToolLoop {
  loop.journal.follow(() => takeCheckpoint(loop));
  return loop;
}
