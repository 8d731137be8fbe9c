/** T1: a turn is accepted, once per idempotency key, whatever it finds under way. Rules: G1, G2, G12, LC28, DU44. */
import { failWith, type Result, succeed } from "../../contracts/result.ts";
import type { OnBusy, TurnRecord } from "../../contracts/turn.ts";
import type { AcceptedTurn } from "../../contracts/verbs.ts";
import { lastEventSeq } from "../event-store.ts";
import { findIdem, putIdem } from "../idem-store.ts";
import type { StoreContext } from "../store-context.ts";
import { countQueued, findActiveTurn, findTurnByNumber } from "../turn-store.ts";
import { addSteering } from "./add-steering.ts";
import { askCancel } from "./ask-cancel.ts";
import { enqueueTurn, type QueuedTurn } from "./enqueue-turn.ts";

export interface TurnAcceptance extends QueuedTurn {
  readonly idempotencyKey?: string;
  /** Digest of the body: what a post that comes again is told by. */
  readonly fingerprint: string;
  readonly onBusy: OnBusy;
  readonly maxQueued: number;
}

/** `mismatch`: the key stands for another body. `busy`: another turn is open and the caller would not wait. `queue_full`. */
export type AcceptRefusal = "mismatch" | "busy" | "queue_full";
type Acceptance = Result<AcceptedTurn, AcceptRefusal>;

type KnownPost = Pick<TurnAcceptance, "idempotencyKey" | "fingerprint" | "subject">;

function findRepeated(context: StoreContext, acceptance: KnownPost): Acceptance | undefined {
  const { idempotencyKey: key, fingerprint, subject } = acceptance;
  if (key === undefined) return undefined;
  const match = findIdem(context.sql, { principal: subject, key }, context.now());
  const stored = match && findTurnByNumber(context.sql, match.turn);
  if (match === undefined || stored === undefined) return undefined;
  if (match.fingerprint !== fingerprint) return failWith("mismatch");
  return succeed({ turn: stored.turn, after: stored.firstSeq - 1, repeated: true });
}

/** The input goes to the turn under way instead of making one: what the client then follows is that turn, from here on. */
function steerInto(context: StoreContext, active: TurnRecord, acceptance: TurnAcceptance): Acceptance {
  const { input, summary, subject, channel, maxQueued } = acceptance;
  const message = { input, summary, subject, channel };
  const added = addSteering(context, { ...message, turn: active.id, maxWaiting: maxQueued });
  if (!added.ok) return failWith("queue_full");
  return succeed({ turn: added.value, after: lastEventSeq(context.sql), repeated: false });
}

function acceptNew(context: StoreContext, acceptance: TurnAcceptance): Acceptance {
  const { sql } = context;
  const { idempotencyKey: _key, onBusy, maxQueued, ...queued } = acceptance;
  const by = { subject: queued.subject, channel: queued.channel };
  const active = findActiveTurn(sql)?.turn;
  const waiting = countQueued(sql);
  if (onBusy === "reject" && (waiting > 0 || active !== undefined)) return failWith("busy");
  if (onBusy === "steer" && active !== undefined) return steerInto(context, active, acceptance);
  if (waiting >= maxQueued) return failWith("queue_full");
  if (onBusy === "interrupt" && active !== undefined) askCancel(context, { turn: active.id, reason: "interrupt", by });
  const after = lastEventSeq(sql);
  return succeed({ turn: enqueueTurn(context, queued), after, repeated: false });
}

/** Whether accepting it now would make a turn: it is no repeat, it goes to no turn under way, and it is not refused. */
export function wouldMakeTurn(
  context: StoreContext,
  {
    onBusy,
    maxQueued,
    ...post
  }: Pick<TurnAcceptance, "idempotencyKey" | "fingerprint" | "subject" | "onBusy" | "maxQueued">,
): boolean {
  const { sql } = context;
  if (findRepeated(context, post) !== undefined) return false;
  const waiting = countQueued(sql);
  const isActive = findActiveTurn(sql) !== undefined;
  if (onBusy === "reject" && (waiting > 0 || isActive)) return false;
  return !(onBusy === "steer" && isActive) && waiting < maxQueued;
}

/**
 * Writes the turn and all that belongs to its acceptance, or gives its input to the turn under way; a refusal and a repeat write
 * nothing. After `interrupt` the turn that was under way has its cancel mark and must be brought to its end like any cancelled one.
 */
export function acceptTurn(context: StoreContext, acceptance: TurnAcceptance): Acceptance {
  return context.sql.transaction((): Acceptance => {
    const repeated = findRepeated(context, acceptance);
    if (repeated !== undefined) return repeated;
    const accepted = acceptNew(context, acceptance);
    const { idempotencyKey: key, fingerprint, subject } = acceptance;
    if (accepted.ok && key !== undefined) {
      putIdem(context.sql, { principal: subject, key, fingerprint, turn: accepted.value.turn.n }, context.now());
    }
    return accepted;
  });
}
