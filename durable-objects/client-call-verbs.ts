/** Client calls as seen from outside the loop: answered by the client, out of time, withdrawn by a cancel. Rules: DI11, TC27, TC28, DU7, CK6, CK13. */
import type { Problem } from "../src/contracts/errors.ts";
import { type RuntimeKnobs, resolveRuntimeKnobs } from "../src/core/execution/runtime-knobs.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { ClientToolResult } from "../src/contracts/verbs.ts";
import { readPinnedKnobs } from "../src/core/turn/checkpoint.ts";
import {
  type OfferedCall,
  settleClientResult,
  settleClientTimeout,
  withdrawClientCall,
} from "../src/core/turn/client-result.ts";
import { findCall, type StoredCall } from "../src/storage/call-store.ts";
import { findFrame } from "../src/storage/frame-store.ts";
import { listOfferedCalls } from "../src/storage/open-requests.ts";
import { answerClientCalls, findOfferedCalls } from "../src/storage/transactions/answer-client-calls.ts";
import { expireClientCall } from "../src/storage/transactions/expire-client-call.ts";
import { contextOfCall } from "../src/storage/transactions/place-event.ts";
import { withdrawCalls } from "../src/storage/transactions/withdraw-calls.ts";
import { findTurn, findTurnByNumber } from "../src/storage/turn-store.ts";
import { notFound } from "../src/wire/problem.ts";
import { toolResultConflict } from "../src/wire/turn-problems.ts";
import type { ConversationParts, Room } from "./conversation-parts.ts";
import { systemPorts } from "./system-ports.ts";

/** All results of one post, or none. */
export async function answerCalls(
  { parts, queue }: Room,
  turnId: string,
  results: readonly ClientToolResult[],
): Promise<Result<undefined, Problem>> {
  const { store, fanout } = parts;
  const turn = findTurn(store.sql, turnId)?.turn;
  if (turn === undefined) return failWith(notFound);
  const found = findOfferedCalls(store, { turn: turnId, callIds: results.map(({ callId }) => callId) });
  if (!found.ok) return failWith(toolResultConflict(found.failure));
  const given = new Map(results.map(({ callId, result }) => [callId, result]));
  const settlements = await Promise.all(
    found.value.map((stored) => {
      const result = given.get(stored.call.callId);
      if (result === undefined) throw new Error(`${stored.call.callId} was not asked for`);
      return settleClientResult(toOffered(parts, turn, stored), result);
    }),
  );
  const answered = answerClientCalls(store, turnId, settlements);
  if (!answered.ok) return failWith(toolResultConflict(answered.failure));
  fanout.wake();
  if (answered.value.resumed) queue.resume(turn);
  return succeed(undefined);
}

/** The turn that goes on without the result, if that was all it waited for. */
export async function expireCall(parts: ConversationParts, callId: string): Promise<TurnRecord | undefined> {
  const stored = findCall(parts.store.sql, callId);
  const turn = stored && findTurnByNumber(parts.store.sql, stored.turn)?.turn;
  if (stored === undefined || turn === undefined) return undefined;
  const offered = toOffered(parts, turn, stored);
  const waited = ((stored.expiresAt ?? 0) - (stored.startedAt ?? 0)) / 1000;
  const expired = expireClientCall(parts.store, await settleClientTimeout(offered, Math.round(waited)));
  parts.fanout.wake();
  return expired?.resumed === true ? findTurn(parts.store.sql, turn.id)?.turn : undefined;
}

/** Before a cancelled turn is closed: its client calls are no longer waited for. */
export async function withdrawOffered(parts: ConversationParts, turn: TurnRecord): Promise<void> {
  const open = listOfferedCalls(parts.store.sql).filter((stored) => stored.turn === turn.n);
  const settlements = await Promise.all(open.map((stored) => withdrawClientCall(toOffered(parts, turn, stored))));
  withdrawCalls({ ...parts.store, turn }, settlements);
}

function toOffered(parts: ConversationParts, turn: TurnRecord, stored: StoredCall): OfferedCall {
  const knobs = knobsOf(parts, turn, stored.frame);
  return {
    call: stored.call,
    tool: stored.prepared?.tool ?? stored.call.tool,
    offeredAt: stored.startedAt ?? 0,
    now: systemPorts.now(),
    context: contextOfCall(parts.store.sql, turn, stored),
    digest: systemPorts.digest,
    limits: { chars: knobs.maxToolResultChars, bytes: knobs.maxStoredResultBytes },
  };
}

/** As its frame is pinned to; where no release can read that any more, as the profile has them. */
export function knobsOf({ store, deployment }: ConversationParts, turn: TurnRecord, frame: string): RuntimeKnobs {
  const pinned = readPinnedKnobs(findFrame(store.sql, { turn: turn.n, frame })?.record.pinned ?? null);
  if (pinned !== undefined) return pinned;
  const { agents, runtimeProfiles } = deployment.config;
  const profile = runtimeProfiles.get(agents.get(turn.agent)?.runtimeProfile ?? "default");
  if (profile === undefined) throw new Error("the profile named default always exists");
  return resolveRuntimeKnobs(profile, turn.narrowing);
}
