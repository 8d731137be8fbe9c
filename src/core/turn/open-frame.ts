/** A frame begins: the turn's own, or a delegate's under the call that opens it. Rules: RX2, RX7–RX9, RX13, DG6, DG7. */
import type { HistoryEntry } from "../../contracts/message.ts";
import { readActivatedSet, toActivations } from "./activated-tool-set.ts";
import { describeFrame, takeCheckpoint } from "./checkpoint.ts";
import { openDeferredTools } from "./deferred-tools.ts";
import {
  type FrameParts,
  type ToolLoop,
  type ToolLoopParts,
  createToolLoop,
  createTurnShared,
} from "./turn-context.ts";

/** The user message is in the journal since the turn was accepted. */
export const openTurn = (parts: ToolLoopParts): ToolLoop =>
  openFrame({ ...parts, frame: { depth: 0 }, shared: createTurnShared(parts.execution) }, []);

/** Shares with its caller what frames share, and nothing of its history. */
export function openDelegate(
  caller: ToolLoop,
  callId: string,
  { entries, ...own }: Pick<ToolLoop, "execution" | "hidden"> & { readonly entries: readonly HistoryEntry[] },
): ToolLoop {
  const { identity, cancel, shared, runDelegate, frame, execution } = caller;
  const journal = caller.journal.delegateFrame(callId);
  const below = {
    depth: frame.depth + 1,
    parentAgent: execution.agent.alias,
    parentCalls: [...(frame.parentCalls ?? []), callId],
  };
  // It begins with what its caller has loaded, as far as it may have it; what it loads itself stays with it (DG7).
  journal.activate(toActivations({ execution: own.execution, journal }, readActivatedSet(caller).tools));
  return openFrame({ ...own, identity, cancel, shared, runDelegate, journal, frame: below }, entries);
}

function openFrame(parts: FrameParts, entries: readonly HistoryEntry[]): ToolLoop {
  const own = { ...parts, ...openDeferredTools(parts) };
  own.journal.openFrame(describeFrame(own), entries);
  return followed(createToolLoop(own));
}

/** From here on every step of the frame is written with how it then stands. */
export function followed(loop: ToolLoop): ToolLoop {
  loop.journal.follow(() => takeCheckpoint(loop));
  return loop;
}
