/** Event verbs: the log as pages that may wait, and as a stream. Rules: DU29–DU33, SS8, EV1. */
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { EventPage, EventPageQuery } from "../src/contracts/verbs.ts";
import { readEventFloor } from "../src/storage/conversation-store.ts";
import { lastEventSeq, readEvents } from "../src/storage/event-store.ts";
import { countQueued, findActiveTurn, readTurnState } from "../src/storage/turn-store.ts";
import { isEnded } from "../src/wire/responses.ts";
import { sseHeaders } from "../src/wire/sse.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { type EventSource, openEventStream } from "./event-stream.ts";

const PAGE_EVENTS = 500;

export interface EventCursor {
  readonly turn?: string;
  readonly after: number;
}

/** A cursor must lie in the log, and a turn that is asked for must exist. */
function judgeCursor({ store: { sql } }: ConversationParts, { turn, after }: EventCursor): Problem | undefined {
  if (turn !== undefined && readTurnState(sql, turn) === undefined) {
    return { slug: "not-found", detail: "There is nothing at this address." };
  }
  if (after > lastEventSeq(sql)) {
    return { slug: "invalid-cursor", detail: "The cursor lies behind the last event of this conversation." };
  }
  return after < readEventFloor(sql)
    ? { slug: "cursor-expired", detail: "The events after this cursor are no longer kept." }
    : undefined;
}

function sourceOf({ store: { sql }, durable }: ConversationParts, turn: string | undefined): EventSource {
  const scope = turn === undefined ? {} : { turn };
  return {
    durable,
    read: (after) => readEvents(sql, { after, limit: PAGE_EVENTS, ...scope }),
    isBehind: (cursor) => lastEventSeq(sql) > cursor,
    state: (last) => {
      if (turn === undefined) return findActiveTurn(sql) || countQueued(sql) > 0 ? "live" : "idle";
      if (last !== undefined) return last.type === "turn_finished" ? "ended" : "live";
      const state = readTurnState(sql, turn);
      return state === undefined || isEnded(state) ? "ended" : "live";
    },
  };
}

export async function pageEvents(
  parts: ConversationParts,
  { turn, after, limit, waitSecs }: EventPageQuery,
): Promise<Result<EventPage, Problem>> {
  const problem = judgeCursor(parts, { after, ...(turn === undefined ? {} : { turn }) });
  if (problem !== undefined) return failWith(problem);
  const source = sourceOf(parts, turn);
  const until = Date.now() + waitSecs * 1000;
  for (;;) {
    const events = source.read(after).slice(0, limit);
    const left = until - Date.now();
    if (events.length > 0 || left <= 0 || source.state(events.at(-1)) === "ended") {
      const nextAfter = events.at(-1)?.seq ?? after;
      return succeed({
        events: events.map(({ body }) => body),
        nextAfter,
        live: source.state(undefined) !== "ended" || source.read(nextAfter).length > 0,
      });
    }
    await parts.fanout.next(left);
  }
}

/** 204 when a turn was asked for that has ended and has nothing after the cursor: an EventSource stops for good on it. */
export function streamEvents(
  parts: ConversationParts,
  { turn, after }: EventCursor,
  signal: AbortSignal,
): Result<Response, Problem> {
  const problem = judgeCursor(parts, { after, ...(turn === undefined ? {} : { turn }) });
  if (problem !== undefined) return failWith(problem);
  const source = sourceOf(parts, turn);
  if (source.state(undefined) === "ended" && source.read(after).length === 0)
    return succeed(new Response(null, { status: 204 }));
  const { limits } = parts.deployment.config;
  const body = openEventStream({
    source,
    fanout: parts.fanout,
    after,
    signal,
    lingerMs: limits.sseLingerSecs * 1000,
    longestMs: limits.maxStreamSecs * 1000,
  });
  return succeed(new Response(body, { headers: sseHeaders }));
}
