/** The guard of every transaction of a running turn: is it still ours? Rules: DU4, DU12. */
import type { TurnContext } from "../store-context.ts";
import { readHold, type TurnHold } from "../turn-store.ts";

/** The turn was ended or taken over since this writer began: whoever gets this stops and writes nothing. */
export class TurnSuperseded extends Error {
  override readonly name = "TurnSuperseded";
}

/** Absent unless the turn runs under the attempt that the context names. */
export function findHold({ sql, turn }: TurnContext): TurnHold | undefined {
  const hold = readHold(sql, turn.n);
  return hold?.state === "running" && hold.attempt === turn.attempt ? hold : undefined;
}

export function requireHold(context: TurnContext): TurnHold {
  const hold = findHold(context);
  if (hold === undefined) throw new TurnSuperseded(`turn ${context.turn.id} is no longer this writer's`);
  return hold;
}
