/** A turn from wherever its rows have it to its end, or to where it must wait for somebody. Rules: CK1, CK5–CK7, CK13, CK15, DI14. */
import { runDelegate } from "./delegate.ts";
import { finishTurn } from "./finish-turn.ts";
import { observeAgent } from "./observe-turn.ts";
import { restoreTurn } from "./restore-loop.ts";
import { runToolLoop } from "./tool-loop.ts";
import { type ToolLoop, type ToolLoopParts, eventOf } from "./turn-context.ts";

/** `checkpoint_version`: another release left it, in a form that this one does not read; nothing was done. */
export type TurnRun = "ended" | "suspended" | "checkpoint_version";

/** Each time at least one batch was decided while the turn ran; no turn has so many. */
const MOST_TAKEN_UP = 1000;

export type DrivenTurn = Omit<ToolLoopParts, "runDelegate">;

/**
 * The same for a turn that begins, one that was waited for, and one whose instance is gone. `withdrawOffered` closes what the
 * client was asked for; it is called when the turn is taken up only to be cancelled.
 */
export async function driveTurn(parts: DrivenTurn, withdrawOffered: () => Promise<void>): Promise<TurnRun> {
  for (let takenUp = 0; takenUp < MOST_TAKEN_UP; takenUp += 1) {
    if (parts.cancel.aborted) await withdrawOffered();
    const restored = restoreTurn({ ...parts, runDelegate });
    if (!restored.ok) return restored.failure;
    const { loop, start } = restored.value;
    let run: TurnRun | undefined;
    await observeAgent(loop, async () => {
      const outcome = await runToolLoop(loop, start);
      if (outcome.kind === "suspended") run = letGo(loop) ? "suspended" : undefined;
      else {
        finishTurn(loop, outcome);
        run = "ended";
      }
      return outcome.kind;
    });
    // All that was open has been decided while another frame still ran, or it was cancelled: the rows say how it goes on.
    if (run !== undefined) return run;
  }
  throw new Error("the rows wait for somebody and nothing is open");
}

/** No frame runs any more. */
const letGo = (loop: ToolLoop): boolean =>
  loop.journal.suspend((open) => eventOf(loop, { type: "turn_suspended", ...open }));
