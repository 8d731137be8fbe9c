/** Event stream: SSE as a view of the event log, read from a cursor on; live and resumed readers run the same lines. Rules: G4, DU28, DU30–DU33, SS1–SS8. */
import type { LoggedEvent } from "../src/contracts/turn-event.ts";
import { encodeRetry, encodeSseFrame, keepAlive, openingBlock } from "../src/wire/sse.ts";
import type { EventFanout } from "./event-fanout.ts";

const KEEP_ALIVE_MS = 5000;
const IDLE_RETRY_MS = 30_000;

/** What the stream follows. `state` is asked once the log was read to its end. */
export interface EventSource {
  read(after: number): readonly LoggedEvent[];
  /** Whether the log has anything behind the cursor, of this source or another: asked often, so it costs less than a read. */
  isBehind(cursor: number): boolean;
  /**
   * `ended`: nothing of it will ever come; `idle`: nothing runs, but something may come; `live`: a turn is under way.
   * `last` is the event that was read just now, if one was.
   */
  state(last: LoggedEvent | undefined): "live" | "idle" | "ended";
  /** Resolves when everything read so far is durable. */
  readonly durable: () => Promise<void>;
}

export interface EventStreamSettings {
  readonly source: EventSource;
  readonly fanout: EventFanout;
  readonly after: number;
  readonly lingerMs: number;
  readonly longestMs: number;
  readonly signal: AbortSignal;
}

const utf8 = new TextEncoder();

/** Answers at once; what is written after that is pulled by the reader, with one write in flight at most. */
export function openEventStream(settings: EventStreamSettings): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const pump = pumpEvents(settings, (text) => writer.write(utf8.encode(text)));
  // A reader that left is no fault: the turn runs on, and the log has what it missed.
  pump.then(() => writer.close()).catch(() => writer.abort().catch(() => undefined));
  return readable;
}

async function pumpEvents(settings: EventStreamSettings, write: (text: string) => Promise<void>): Promise<void> {
  const { source, fanout, signal, lingerMs } = settings;
  const end = Date.now() + settings.longestMs;
  let idleSince: number | undefined;
  let cursor = settings.after;
  let waiting = openingBlock;
  while (!signal.aborted) {
    const events = source.read(cursor);
    const last = events.at(-1);
    if (last !== undefined) {
      cursor = last.seq;
      waiting += events.map(encodeSseFrame).join("");
      idleSince = undefined;
      await source.durable();
    }
    if (waiting !== "") {
      await write(waiting);
      waiting = "";
      // The log may have grown meanwhile: it is read again before anyone waits for it to grow.
      if (source.isBehind(cursor)) continue;
    }
    const state = source.state(last);
    if (state === "ended" || Date.now() >= end) return;
    idleSince = state === "idle" ? (idleSince ?? Date.now()) : undefined;
    const lingerLeft = idleSince === undefined ? KEEP_ALIVE_MS : idleSince + lingerMs - Date.now();
    if (lingerLeft <= 0) return write(encodeRetry(IDLE_RETRY_MS));
    const woken = await fanout.next(Math.min(KEEP_ALIVE_MS, lingerLeft));
    if (!woken) waiting = keepAlive;
  }
}
