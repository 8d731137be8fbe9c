/** A delegate's frame that may not go on is closed from its rows, with those below it, and its caller goes on. Rules: RX7, RX14, EV2, HI2. */
import type { JsonObject } from "../../contracts/json.ts";
import type { FrameSeal } from "../../contracts/frame-seal.ts";
import { endFrame, findFrame } from "../frame-store.ts";
import type { FrameContext } from "../store-context.ts";
import { findTurnByNumber } from "../turn-store.ts";
import { keepFrame } from "./keep-frame.ts";
import { openFrames } from "./open-frames.ts";
import { requireHold } from "./turn-hold.ts";

export interface FrameClosing {
  readonly outcome: JsonObject;
  readonly seal: FrameSeal;
}

export function closeFrame(context: FrameContext, { outcome, seal }: FrameClosing): void {
  const { sql, frame } = context;
  sql.transaction(() => {
    requireHold(context);
    const turn = findTurnByNumber(sql, context.turn.n)?.turn;
    if (turn === undefined) throw new Error(`turn ${context.turn.id} has no row`);
    // Each frame is named after the call that opened it, and knows the calls that led to it.
    const isWithin = (key: { readonly turn: number; readonly frame: string }): boolean =>
      findFrame(sql, key)?.record.parentCalls?.includes(frame) === true;
    for (const key of openFrames(context).filter(isWithin)) {
      keepFrame({ ...context, turn }, seal, key);
      endFrame(sql, key, outcome);
    }
  });
}
