/** Posts one turn and follows its events to the end, over lost connections. Rules: SS5, SS7, SS11, SS12, SS15. */
import { setTimeout as sleep } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { isTurnEventType, turnEventSchemas, type WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { describeFault, describeProblem } from "./describe-problem.ts";

/** Until the server says otherwise (SS4). */
const firstRetryMs = 2000;

/** Connections in a row that may bring nothing new before the turn is given up on. */
const mostFruitless = 15;

export interface TurnPost {
  /** Origin of the server. */
  readonly url: string;
  readonly key: string;
  readonly conversation: string;
  readonly text: string;
  readonly agent?: string | undefined;
  /** The same on every attempt: whatever gets lost, one turn is run. */
  readonly idempotencyKey: string;
  /** Id of the last event that was read before; absent: none was. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
}

/** `line` of an event is what the server wrote. `refused`, `lost`, the events `turn_finished` and `turn_suspended` are last. */
export type TurnReport =
  | { readonly kind: "event"; readonly event: WireTurnEvent; readonly line: string }
  | { readonly kind: "interrupted"; readonly after: string | undefined; readonly retryMs: number; readonly why: string }
  | { readonly kind: "refused" | "lost"; readonly why: string };

interface Frame {
  readonly type: string;
  readonly data: string;
}

/** Where this reader stands, over all its connections. */
interface Progress {
  /** Id of the last event that was read. */
  cursor: string | undefined;
  retryMs: number;
  /** How the last connection ended. A refusal is final; after a cut the reader comes back. */
  ending: { readonly kind: "cut" | "refused"; readonly why: string };
}

function send(post: TurnPost, cursor: string | undefined): Promise<Response> {
  return fetch(`${post.url}/v1/conversations/${post.conversation}/turns`, {
    method: "POST",
    headers: {
      accept: "text/event-stream",
      authorization: `Bearer ${post.key}`,
      "content-type": "application/json",
      "idempotency-key": post.idempotencyKey,
      ...(cursor === undefined ? {} : { "last-event-id": cursor }),
    },
    body: JSON.stringify({ input: post.text, ...(post.agent === undefined ? {} : { agent: post.agent }) }),
    signal: post.signal,
  });
}

/** The cursor moves with what was read, not with what had arrived: a broken stream drops the rest. */
async function* readStream(body: ReadableStream<Uint8Array>, progress: Progress): AsyncGenerator<Frame> {
  const parser = new EventSourceParserStream({ onRetry: (ms) => (progress.retryMs = ms) });
  for await (const { id, event, data } of body.pipeThrough(new TextDecoderStream()).pipeThrough(parser)) {
    progress.cursor = id ?? progress.cursor;
    yield { type: event ?? "message", data };
  }
}

/** The frames of one connection, however it ends. */
async function* connect(post: TurnPost, progress: Progress): AsyncGenerator<Frame> {
  progress.ending = { kind: "cut", why: "the stream ended before the turn did" };
  try {
    const response = await send(post, progress.cursor);
    if (response.ok && response.body !== null) return yield* readStream(response.body, progress);
    const { slug, line: why } = describeProblem(response.status, await response.text());
    // An object that is restarting is overloaded for a moment, while the turn may well be there.
    progress.ending = { kind: slug === "overloaded" ? "cut" : "refused", why };
  } catch (fault) {
    progress.ending = { kind: "cut", why: describeFault(fault) };
  }
}

/** Types that this version does not know are passed over, as every reader of the log must. */
function readEvent({ type, data }: Frame): WireTurnEvent | undefined {
  return isTurnEventType(type) ? turnEventSchemas[type].parse(JSON.parse(data)) : undefined;
}

/**
 * Ends after the turn's last event, when it waits for somebody (SS7), after a refusal, after too many connections that brought
 * nothing, or with the signal. Called again with `after`, it goes on behind that event.
 */
export async function* postTurn(post: TurnPost): AsyncGenerator<TurnReport> {
  const progress: Progress = { cursor: post.after, retryMs: firstRetryMs, ending: { kind: "cut", why: "" } };
  for (let fruitless = 0; fruitless < mostFruitless;) {
    const before = progress.cursor;
    for await (const frame of connect(post, progress)) {
      const event = readEvent(frame);
      if (event !== undefined) yield { kind: "event", event, line: frame.data };
      if (event?.type === "turn_finished" || event?.type === "turn_suspended") return;
    }
    if (post.signal.aborted) return;
    const { kind, why } = progress.ending;
    if (kind === "refused") return yield { kind, why };
    fruitless = progress.cursor === before ? fruitless + 1 : 0;
    yield { kind: "interrupted", after: progress.cursor, retryMs: progress.retryMs, why };
    await sleep(progress.retryMs, undefined, { signal: post.signal }).catch(() => undefined);
  }
  yield { kind: "lost", why: progress.ending.why };
}
