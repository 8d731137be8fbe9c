/** T7, results of client calls: all that were posted together, or none of them. Rules: DI11, TC27, TC28, T7. */
import type { CallSettlement } from "../../contracts/turn-journal.ts";
import { failWith, type Result, succeed } from "../../contracts/result.ts";
import { findCall, type StoredCall } from "../call-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurn } from "../turn-store.ts";
import { settleOffered } from "./settle-offered.ts";

/** `settled`: it has its result. `closed`: its time is up, or its turn was asked to cancel. */
export interface CallConflict {
  readonly callId: string;
  readonly reason: "unknown" | "not_client" | "settled" | "closed";
}

export interface OfferedCalls {
  /** Id of the turn. */
  readonly turn: string;
  readonly callIds: readonly string[];
}

function judgeCall(stored: StoredCall | undefined, closed: boolean, now: number): CallConflict["reason"] | undefined {
  if (stored === undefined) return "unknown";
  if (stored.expiresAt === undefined) return "not_client";
  if (stored.state !== "started") return "settled";
  return closed || stored.expiresAt <= now ? "closed" : undefined;
}

/** The calls as they were offered, in the order asked for; otherwise each one that takes no result, with why. */
export function findOfferedCalls(
  { sql, now }: StoreContext,
  { turn: id, callIds }: OfferedCalls,
): Result<readonly StoredCall[], readonly CallConflict[]> {
  const turn = findTurn(sql, id);
  const calls: StoredCall[] = [];
  const conflicts: CallConflict[] = [];
  for (const callId of callIds) {
    const found = findCall(sql, callId);
    const stored = found?.turn === turn?.turn.n ? found : undefined;
    const reason = judgeCall(stored, turn?.cancelAsked === true, now());
    if (reason !== undefined) conflicts.push({ callId, reason });
    else if (stored !== undefined) calls.push(stored);
  }
  return conflicts.length === 0 ? succeed(calls) : failWith(conflicts);
}

/** What `findOfferedCalls` found is judged again here, since settlements may take time to make. */
export function answerClientCalls(
  context: StoreContext,
  turn: string,
  settlements: readonly CallSettlement[],
): Result<{ readonly resumed: boolean }, readonly CallConflict[]> {
  return context.sql.transaction((): Result<{ readonly resumed: boolean }, readonly CallConflict[]> => {
    const offered = findOfferedCalls(context, { turn, callIds: settlements.map(({ call }) => call.callId) });
    if (!offered.ok) return offered;
    const [first] = offered.value;
    return succeed({ resumed: first !== undefined && settleOffered(context, first.turn, settlements) });
  });
}
