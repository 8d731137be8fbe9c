/** What the observer is told of a turn as a whole: that a frame runs, that it has let go, how the turn ended. Rules: EV11. */
import type { TurnEnd } from "../../contracts/turn.ts";
import { observe } from "./observe.ts";
import type { LoopOutcome } from "./outcome.ts";
import type { ToolLoop } from "./turn-context.ts";

/**
 * `run` takes the frame to its outcome and deals with it. A suspended frame has let go too: when it is taken up again, that is
 * another start.
 */
export async function observeAgent(loop: ToolLoop, run: () => Promise<LoopOutcome["kind"]>): Promise<void> {
  observe(loop, () => ({ type: "agent_start" }));
  // What is thrown is a bug, and its turn fails.
  let outcome: LoopOutcome["kind"] = "failed";
  try {
    outcome = await run();
  } finally {
    observe(loop, () => ({ type: "agent_end", outcome }));
  }
}

export function observeTurnEnd(loop: ToolLoop, outcome: TurnEnd): void {
  observe(loop, () => ({ type: "turn_complete", outcome }));
}
