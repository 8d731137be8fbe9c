/** Deadlines that are due: one handler for each kind, each row on its own. Rules: AP12, DU24–DU27, CK6, CK11. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import { backOff, countParked, type DeadlineKind, type DueDeadline, listDue } from "../src/storage/deadline-store.ts";
import { expireApproval } from "./approval-verbs.ts";
import { expireCall } from "./client-call-verbs.ts";
import type { Room } from "./conversation-parts.ts";
import { systemPorts } from "./system-ports.ts";

/**
 * Deals with what is due, in one transaction that also removes its row or sets it to a later time; a row that is left as it was has
 * failed. Answers the turn that goes on now, if one does.
 */
type FireDeadline = (room: Room, ref: string) => TurnRecord | undefined | Promise<TurnRecord | undefined>;

const handlers: Record<DeadlineKind, FireDeadline> = {
  start: ({ queue }) => {
    queue.kick();
    return undefined;
  },
  heartbeat: ({ queue, parts }, turn) => {
    queue.beat(turn);
    parts.outbox.renew();
    return undefined;
  },
  outbox: ({ parts }) => {
    parts.outbox.ring();
    return undefined;
  },
  approval: ({ parts }, approvalId) => expireApproval(parts, approvalId),
  client: ({ parts }, callId) => expireCall(parts, callId),
};

const isKnown = (kind: string): kind is DeadlineKind => Object.hasOwn(handlers, kind);

/** What is left over is due at once, and so is the next alarm. */
const mostAtOnce = 50;

/** Oldest first. Throws only when the list itself cannot be read. */
export async function fireDue(room: Room): Promise<void> {
  const { sql, now } = room.parts.store;
  for (const due of listDue(sql, now(), mostAtOnce)) await fireOne(room, due);
}

async function fireOne(room: Room, due: DueDeadline): Promise<void> {
  const { kind, ref } = due;
  const { sql, now } = room.parts.store;
  let error: unknown = "left as it was";
  try {
    if (!isKnown(kind)) throw new Error("no deadline of this kind is known");
    const resumed = await handlers[kind](room, ref);
    if (resumed !== undefined) room.queue.resume(resumed);
  } catch (thrown) {
    error = thrown;
  }
  const left = backOff(sql, due, now());
  if (left === "gone") return;
  const parked = left === "parked" ? { parked: countParked(sql) } : {};
  systemPorts.log("error", `deadline_${left === "parked" ? "parked" : "failed"}`, {
    kind,
    ref,
    error: String(error),
    ...parked,
  });
}
