/** Writes server-sent events: frames, the opening block, comments, retry hints. Rules: SS1–SS5, SS12, SE55. */
import type { ToolProgress, TurnEventType } from "../contracts/turn-event.ts";

/** SS1: exact values; the type has no parameters, because some readers compare it as a string. */
export const sseHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
} as const;

/** Leaves at once on accept. No blank line follows: `fetch-event-source` would deliver an empty message (SS3, SS4). */
export const openingBlock = "retry: 2000\n: open\n";

/** Every 5 s between frames, one LF and no blank line (SS3). */
export const keepAlive = ": keep-alive\n";

/** Says that a stream which had nothing to send is complete (SS12). */
export const endComment = ": end\n";

/** Milliseconds until the client shall come back; as its own line it needs no blank line (SS4). */
export const encodeRetry = (ms: number): string => `retry: ${Math.trunc(ms)}\n`;

/** `body` is one line of JSON as `encodeTurnEvent` makes it. Without `seq` the frame is ephemeral and moves no cursor (SS5). */
export interface SseFrame {
  readonly seq?: number;
  readonly type: TurnEventType | ToolProgress["type"];
  readonly body: string;
}

/**
 * One frame and its blank line. A body that is empty or has a line break is a bug of its maker, never sent: half of it would be
 * read as fields of the frame.
 */
export function encodeSseFrame({ seq, type, body }: SseFrame): string {
  if (body === "" || /[\r\n]/.test(body)) throw new TypeError("an SSE body is one line of JSON");
  return `${seq === undefined ? "" : `id: ${Math.trunc(seq)}\n`}event: ${type}\ndata: ${body}\n\n`;
}
