/** T1: a turn is accepted, once per idempotency key. Rules: G1, G2, G12, DU44. */
import type { InputPart } from "../../contracts/message.ts";
import { failWith, type Result, succeed } from "../../contracts/result.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import type { AcceptedTurn } from "../../contracts/verbs.ts";
import { insertEvents, lastEventSeq } from "../event-store.ts";
import { findIdem, putIdem } from "../idem-store.ts";
import { appendMessages } from "../message-store.ts";
import type { StoreContext } from "../store-context.ts";
import { countQueued, findActiveTurn, findTurnByNumber, insertTurn, type NewTurn } from "../turn-store.ts";

export interface TurnAcceptance extends Omit<NewTurn, "acceptedAt" | "firstSeq"> {
  readonly input: readonly InputPart[];
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
  readonly onBusy: "queue" | "reject";
  readonly maxQueued: number;
  /** `turn_accepted`. */
  readonly event: TurnEvent;
}

/** `mismatch`: the key stands for another body. `busy`: another turn is open and the caller would not wait. `queue_full`. */
export type AcceptRefusal = "mismatch" | "busy" | "queue_full";

function findRepeated(
  context: StoreContext,
  acceptance: TurnAcceptance,
): Result<AcceptedTurn, AcceptRefusal> | undefined {
  const { idempotency, subject } = acceptance;
  if (idempotency === undefined) return undefined;
  const match = findIdem(context.sql, { principal: subject, key: idempotency.key }, context.now());
  const stored = match && findTurnByNumber(context.sql, match.turn);
  if (match === undefined || stored === undefined) return undefined;
  if (match.fingerprint !== idempotency.fingerprint) return failWith("mismatch");
  return succeed({ turn: stored.turn, after: stored.firstSeq - 1, repeated: true });
}

function findRefusal({ sql }: StoreContext, { onBusy, maxQueued }: TurnAcceptance): AcceptRefusal | undefined {
  const queued = countQueued(sql);
  if (onBusy === "reject" && (queued > 0 || findActiveTurn(sql) !== undefined)) return "busy";
  return queued >= maxQueued ? "queue_full" : undefined;
}

/** Writes the turn, its user message, its `turn_accepted`, its key; a refusal and a repeat write nothing. */
export function acceptTurn(context: StoreContext, acceptance: TurnAcceptance): Result<AcceptedTurn, AcceptRefusal> {
  const { sql } = context;
  return sql.transaction((): Result<AcceptedTurn, AcceptRefusal> => {
    const repeated = findRepeated(context, acceptance);
    if (repeated !== undefined) return repeated;
    const refusal = findRefusal(context, acceptance);
    if (refusal !== undefined) return failWith(refusal);
    const { input, idempotency, onBusy: _busy, maxQueued: _limit, event, ...request } = acceptance;
    const after = lastEventSeq(sql);
    const turn = insertTurn(sql, { ...request, acceptedAt: context.now(), firstSeq: after + 1 });
    appendMessages(sql, turn.n, [{ kind: "user", turn: turn.id, parts: input }]);
    insertEvents(context, { turn: turn.n, after }, [event]);
    if (idempotency !== undefined) {
      putIdem(sql, { principal: turn.subject, ...idempotency, turn: turn.n }, context.now());
    }
    return succeed({ turn, after, repeated: false });
  });
}
