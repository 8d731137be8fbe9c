/** T16: a message for a turn that is under way. Rules: LC26, G12. */
import { failWith, type Result, succeed } from "../../contracts/result.ts";
import type { TurnRecord, TurnState } from "../../contracts/turn.ts";
import { countSteering, insertSteering, type SteeringMessage } from "../steering-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurn } from "../turn-store.ts";

export interface Steering extends SteeringMessage {
  /** Id of the turn. */
  readonly turn: string;
  /** Of one turn: each that comes too late becomes a turn of its own. */
  readonly maxWaiting: number;
}
export type SteeringRefusal =
  | { readonly kind: "unknown" | "full" }
  | { readonly kind: "not_running"; readonly state: TurnState };

/** A suspended turn counts as running. A refusal writes nothing. */
export function addSteering(context: StoreContext, steering: Steering): Result<TurnRecord, SteeringRefusal> {
  const { sql, now } = context;
  const { turn: id, maxWaiting, ...message } = steering;
  return sql.transaction((): Result<TurnRecord, SteeringRefusal> => {
    const turn = findTurn(sql, id)?.turn;
    if (turn === undefined) return failWith({ kind: "unknown" });
    if (turn.state !== "running" && turn.state !== "suspended")
      return failWith({ kind: "not_running", state: turn.state });
    if (countSteering(sql, turn.n) >= maxWaiting) return failWith({ kind: "full" });
    insertSteering(sql, turn.n, { ...message, at: now() });
    return succeed(turn);
  });
}
