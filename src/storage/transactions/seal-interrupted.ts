/** A turn whose loops are gone for good, or have failed as a bug, is closed from its rows, frame by frame. Rules: DU10, DU22, LC31, CK17, HI11. */
import type { FrameSeal } from "../../contracts/frame-seal.ts";
import type { TurnEndReason, TurnSummary } from "../../contracts/turn.ts";
import { insertEvents } from "../event-store.ts";
import { listIssued } from "../receipt-store.ts";
import { readProgress } from "../step-store.ts";
import { writeEnd } from "./finish-turn.ts";
import { keepFrame } from "./keep-frame.ts";
import { openFrames } from "./open-frames.ts";
import { placeEvent } from "./place-event.ts";
import type { SealContext } from "./settle-open-calls.ts";
import { findHold } from "./turn-hold.ts";

export interface Seal extends FrameSeal {
  readonly reason: Extract<TurnEndReason, "recovery_exhausted" | "internal" | "storage_full" | "checkpoint_version">;
}

/**
 * Settles what is open (started: `outcome_unknown`, the rest: `interrupted`), keeps the round or the partial text, says what was
 * found, and ends the turn `failed` with the reason. One transaction; false when the turn is not running under this attempt.
 */
export function sealInterrupted(context: SealContext, seal: Seal): boolean {
  const { sql, turn } = context;
  const { reason } = seal;
  return sql.transaction(() => {
    if (findHold(context) === undefined) return false;
    const sealed = openFrames(context).map((frame) => keepFrame(context, seal, frame));
    const text = sealed.at(-1)?.text ?? "";
    const receipts = listIssued(sql, turn.n);
    const summary: TurnSummary = { outcome: "failed", reason, text, ...readProgress(sql, turn.n), receipts };
    if (reason === "recovery_exhausted") {
      const calls = sealed.flatMap(({ found }) => found);
      const recovered = placeEvent(turn, { type: "turn_recovered", attempt: turn.attempt, calls });
      insertEvents(context, { turn: turn.n }, [recovered]);
    }
    const events = [placeEvent(turn, { type: "turn_finished", ...summary })];
    writeEnd(context, { state: "failed", reason, summary, entries: [], events });
    return true;
  });
}
