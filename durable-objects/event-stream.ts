/** Event stream: SSE as a view of the event log, read from a cursor on; live and resumed readers run the same lines. Rules: G4, DU28, DU30–DU33, SS1–SS8, TC12. */
import type { LoggedEvent } from "../src/contracts/turn-event.ts";
import { encodeRetry, encodeSseFrame, keepAlive, openingBlock } from "../src/wire/sse.ts";
import type { EventFanout } from "./event-fanout.ts";
import type { ProgressNews } from "./progress-board.ts";

const KEEP_ALIVE_MS = 5000;
/** For a reader to take what was written last before its stream's time was over. */
const CLOSE_MS = 5000;
/** A decision may come soon after the turn asked for it. */
const SUSPENDED_RETRY_MS = 5000;
const IDLE_RETRY_MS = 30_000;
/** For a reader that came back while nobody had decided anything. */
const FRUITLESS_LINGER_MS = 5000;

/** What the stream follows. `state` is asked once the log was read to its end. */
export interface EventSource {
  /** At most `limit` events, by default as many as are sent at once. */
  read(after: number, limit?: number): readonly LoggedEvent[];
  /** Whether the log has anything behind the cursor, of this source or another: asked often, so it costs less than a read. */
  isBehind(cursor: number): boolean;
  /**
   * `ended`: nothing of it will ever come; `idle`: nothing runs, but something may come; `suspended`: a turn waits for somebody;
   * `live`: a turn runs. `last` is the event that was read just now, if one was.
   */
  state(last: LoggedEvent | undefined): SourceState;
  /** Resolves when everything read so far is durable. */
  readonly durable: () => Promise<void>;
  /** What running calls told since. */
  progress(place: number): ProgressNews;
}

export type SourceState = "live" | "idle" | "suspended" | "ended";

export interface EventStreamSettings {
  readonly source: EventSource;
  readonly fanout: EventFanout;
  readonly after: number;
  readonly lingerMs: number;
  readonly longestMs: number;
  readonly signal: AbortSignal;
  /** Called once, when nothing will be written any more. */
  readonly onEnd: () => void;
}

const utf8 = new TextEncoder();

/** Answers at once; what is written after that is pulled by the reader, with one write in flight at most. */
export function openEventStream(settings: EventStreamSettings): ReadableStream<Uint8Array> {
  const { signal, longestMs, onEnd } = settings;
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const over = new AbortController();
  const stop = (): void => over.abort();
  const timer = setTimeout(stop, longestMs);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  pumpEvents(settings, (text) => writer.write(utf8.encode(text)), over.signal)
    .finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      onEnd();
    })
    .then(() => (signal.aborted ? writer.abort() : closeInTime(writer)))
    // A reader that left is no fault: the turn runs on, and the log has what it missed.
    .catch(() => writer.abort().catch(() => undefined));
  return readable;
}

/** Behind the last write, so that the reader gets it whole (SS7); one that does not read is not waited for any longer. */
function closeInTime(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void writer.abort().catch(() => undefined), CLOSE_MS);
  return writer.close().finally(() => clearTimeout(timer));
}

/** What the work comes to, or nothing as soon as the signal fires: a write is pending for as long as its reader does not read. */
function orUntil<Value>(over: AbortSignal, work: Promise<Value>): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (over.aborted) stop();
    over.addEventListener("abort", stop);
    void work.then(resolve, reject).finally(() => over.removeEventListener("abort", stop));
  });
}

async function pumpEvents(
  settings: EventStreamSettings,
  write: (text: string) => Promise<void>,
  over: AbortSignal,
): Promise<void> {
  const { source, fanout } = settings;
  let idleSince: number | undefined;
  let cursor = settings.after;
  let heard = 0;
  let waiting = openingBlock;
  while (!over.aborted) {
    const events = source.read(cursor);
    const last = events.at(-1);
    if (last !== undefined) {
      cursor = last.seq;
      waiting += events.map(encodeSseFrame).join("");
      idleSince = undefined;
      await source.durable();
    } else {
      // Behind all of the log, so that a call is known before it tells anything, and has ended when it does no more.
      const news = source.progress(heard);
      heard = news.upTo;
      waiting += news.frames.join("");
    }
    if (waiting !== "") {
      await orUntil(over, write(waiting));
      waiting = "";
      // The log may have grown meanwhile: it is read again before anyone waits for it to grow.
      if (source.isBehind(cursor) || source.progress(heard).frames.length > 0) continue;
    }
    const state = source.state(last);
    if (state === "ended") return;
    idleSince = state === "live" ? undefined : (idleSince ?? Date.now());
    const rest = restOf(state, settings, cursor > settings.after);
    const lingerLeft = idleSince === undefined ? KEEP_ALIVE_MS : idleSince + rest.lingerMs - Date.now();
    if (lingerLeft <= 0) return orUntil(over, write(encodeRetry(rest.retryMs)));
    const woken = await orUntil(over, fanout.next(Math.min(KEEP_ALIVE_MS, lingerLeft)));
    if (woken === false) waiting = keepAlive;
  }
}

/** How long a stream on which nothing runs is kept open, and when its reader shall come back: an open one is billed (DU33). */
function restOf(
  state: SourceState,
  { lingerMs }: EventStreamSettings,
  hasSent: boolean,
): { readonly lingerMs: number; readonly retryMs: number } {
  if (state !== "suspended") return { lingerMs, retryMs: IDLE_RETRY_MS };
  return hasSent
    ? { lingerMs, retryMs: SUSPENDED_RETRY_MS }
    : { lingerMs: FRUITLESS_LINGER_MS, retryMs: IDLE_RETRY_MS };
}
