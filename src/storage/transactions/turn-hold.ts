/** The guard of every transaction of a running turn: is it still ours? Rules: DU4, DU12. */
import type { TurnContext } from "../store-context.ts";
import { readHold } from "../turn-store.ts";

/** The turn was ended or taken over since this writer began: whoever gets this stops and writes nothing. */
export class TurnSuperseded extends Error {
  override readonly name = "TurnSuperseded";
}

/** True while the turn runs under the attempt that the context names. */
export function isHeld({ sql, turn }: TurnContext): boolean {
  const hold = readHold(sql, turn.n);
  return hold?.state === "running" && hold.attempt === turn.attempt;
}

export function requireHeld(context: TurnContext): void {
  if (!isHeld(context)) throw new TurnSuperseded(`turn ${context.turn.id} is no longer this writer's`);
}
