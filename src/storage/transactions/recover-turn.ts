/** T15: a turn that is running and that no loop runs is taken over, and what its rows leave uncertain is said, before anything is paid for or done again. Rules: DU8, DU10, DU18, DU21, G6, G7, CK14, CK16, CK17. */
import type { OpenCallEnds } from "../../contracts/frame-seal.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { restartCall } from "../call-moves.ts";
import { findCall, type StoredCall } from "../call-store.ts";
import { closeChargesOf } from "../charge-store.ts";
import { insertEvents } from "../event-store.ts";
import { findFrame } from "../frame-store.ts";
import { takeOver } from "../recovery-store.ts";
import { type FrameKey, findLastStep, type StoredStep } from "../step-store.ts";
import { beginHeartbeat } from "./heartbeat.ts";
import { openFrames } from "./open-frames.ts";
import { type FoundOpen, type SealContext, settleOpenCalls } from "./settle-open-calls.ts";
import { readShownMessage } from "./shown-text.ts";
import { contextOfCall, placeEvent } from "./place-event.ts";
import { findHold } from "./turn-hold.ts";

/** An idempotent call is run again under its key, this often in all. */
const mostAttempts = 3;

/** A call that has started, whose end nobody will ever hear of: not one that a client or a frame of its own will end. */
const isLost = ({ sql, turn }: SealContext, { call, state, expiresAt }: StoredCall): boolean =>
  state === "started" && expiresAt === undefined && findFrame(sql, { turn: turn.n, frame: call.callId }) === undefined;

const mayRunAgain = ({ prepared, attempt = 1 }: StoredCall): boolean =>
  prepared?.idempotencyKey !== undefined && attempt < mostAttempts;

/** Behind a call of unknown outcome nothing of its batch starts any more; what may run again or has a frame does. */
function resolveBatch(context: SealContext, ends: OpenCallEnds, callIds: readonly string[]): readonly FoundOpen[] {
  const { sql } = context;
  const calls = callIds.flatMap((callId) => findCall(sql, callId) ?? []);
  const lost = calls.filter((call) => isLost(context, call));
  const unknown = lost.filter((call) => !mayRunAgain(call));
  for (const { call } of lost.filter(mayRunAgain)) restartCall(sql, call.callId);
  if (unknown.length === 0) return [];
  const waits = calls.filter(({ state }) => state === "proposed" || state === "ready");
  const closed = new Set([...unknown, ...waits].map(({ call }) => call.callId));
  return settleOpenCalls(
    context,
    ends,
    callIds.filter((callId) => closed.has(callId)),
  ).found;
}

/** What was shown of an answer that never came to its end is taken back: it is asked for again. */
function takeBackText(context: SealContext, step: StoredStep): void {
  const { sql, turn } = context;
  const { messageId, text } = readShownMessage(sql, step, step.openedSeq);
  if (messageId === undefined || text === "") return;
  const event: TurnEvent = { ...contextOfCall(sql, turn, step), type: "message_reset", messageId };
  insertEvents(context, { turn: turn.n }, [event]);
}

function resolveFrame(context: SealContext, ends: OpenCallEnds, frame: FrameKey): readonly FoundOpen[] {
  const step = findLastStep(context.sql, frame);
  if (step?.response !== undefined) return resolveBatch(context, ends, step.response.callIds);
  if (step?.state === "pending") takeBackText(context, step);
  return [];
}

/** The attempt under which the turn goes on; absent, with nothing written, when it is not running under the one that the context names. */
export function recoverTurn(context: SealContext, ends: OpenCallEnds): { readonly attempt: number } | undefined {
  const { sql, turn } = context;
  return sql.transaction(() => {
    const hold = findHold(context);
    if (hold === undefined) return undefined;
    const attempt = takeOver(sql, turn, { at: context.now(), lastSeq: hold.lastSeq });
    beginHeartbeat(context, turn);
    closeChargesOf(context, turn.n);
    const calls = openFrames(context).flatMap((frame) => resolveFrame(context, ends, frame));
    insertEvents(context, { turn: turn.n }, [placeEvent(turn, { type: "turn_recovered", attempt, calls })]);
    return { attempt };
  });
}
