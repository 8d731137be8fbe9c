/** Event verbs: the log as pages that may wait, and as a stream. Rules: DU29–DU33, SS8, EV1. */
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { EventPage, EventPageQuery } from "../src/contracts/verbs.ts";
import { readEventFloor } from "../src/storage/conversation-store.ts";
import { lastEventSeq, readEvents } from "../src/storage/event-store.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { countQueued, findActiveTurn, readTurnState } from "../src/storage/turn-store.ts";
import { notFound } from "../src/wire/problem.ts";
import { isEnded } from "../src/wire/responses.ts";
import { sseHeaders } from "../src/wire/sse.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { type EventSource, openEventStream, type SourceState } from "./event-stream.ts";

/** That a stream reads at once. */
const STREAM_EVENTS = 500;

const tooManyStreams: Problem = {
  slug: "quota-exceeded",
  detail: "Too many streams of this conversation are open.",
  members: { "violated-policies": ["streams"] },
};

type LogParts = Pick<ConversationParts, "store" | "durable" | "fanout" | "progress">;

export interface EventCursor {
  readonly turn?: string;
  readonly after: number;
}

/** A cursor must lie in the log, and a turn that is asked for must exist. */
function judgeCursor({ store: { sql } }: LogParts, { turn, after }: EventCursor): Problem | undefined {
  if (turn !== undefined && readTurnState(sql, turn) === undefined) return notFound;
  if (after > lastEventSeq(sql)) {
    return { slug: "invalid-cursor", detail: "The cursor lies behind the last event of this conversation." };
  }
  return after < readEventFloor(sql)
    ? { slug: "cursor-expired", detail: "The events after this cursor are no longer kept." }
    : undefined;
}

function sourceOf({ store: { sql }, durable, progress }: LogParts, turn: string | undefined): EventSource {
  const scope = turn === undefined ? {} : { turn };
  return {
    durable,
    read: (after, limit = STREAM_EVENTS) => readEvents(sql, { after, limit, ...scope }),
    isBehind: (cursor) => lastEventSeq(sql) > cursor,
    progress: (place) => progress.since(place, turn),
    state: (last) => {
      // Text streams from running turns alone, and most of what is read is text: no row needs to be asked.
      if (last?.type === "text_delta") return "live";
      return turn === undefined ? conversationState(sql) : turnState(sql, turn);
    },
  };
}

function turnState(sql: SqlPort, turn: string): SourceState {
  const state = readTurnState(sql, turn);
  if (state === undefined || isEnded(state)) return "ended";
  return state === "suspended" ? "suspended" : "live";
}

/** What is queued behind a suspended turn waits with it. */
function conversationState(sql: SqlPort): SourceState {
  const active = findActiveTurn(sql)?.turn;
  if (active === undefined) return countQueued(sql) > 0 ? "live" : "idle";
  return active.state === "suspended" ? "suspended" : "live";
}

export async function pageEvents(
  parts: LogParts,
  { turn, after, limit, waitSecs }: EventPageQuery,
): Promise<Result<EventPage, Problem>> {
  const problem = judgeCursor(parts, { after, ...(turn === undefined ? {} : { turn }) });
  if (problem !== undefined) return failWith(problem);
  const source = sourceOf(parts, turn);
  const until = Date.now() + waitSecs * 1000;
  for (;;) {
    const events = source.read(after, limit);
    const left = until - Date.now();
    if (events.length > 0 || left <= 0 || source.state(events.at(-1)) === "ended") {
      const nextAfter = events.at(-1)?.seq ?? after;
      return succeed({
        events: events.map(({ body }) => body),
        nextAfter,
        live: source.state(undefined) !== "ended" || source.read(nextAfter, 1).length > 0,
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
  if (source.state(undefined) === "ended" && source.read(after, 1).length === 0)
    return succeed(new Response(null, { status: 204 }));
  const { limits } = parts.deployment.config;
  const leave = parts.fanout.join(limits.maxStreamsPerConversation);
  if (leave === undefined) return failWith(tooManyStreams);
  const body = openEventStream({
    source,
    fanout: parts.fanout,
    after,
    signal,
    onEnd: leave,
    lingerMs: limits.sseLingerSecs * 1000,
    longestMs: limits.maxStreamSecs * 1000,
  });
  return succeed(new Response(body, { headers: sseHeaders }));
}
