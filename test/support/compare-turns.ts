/** Two turns side by side: what must be equal however long somebody took, and what may differ. */
import type { SeenTurn } from "./suspension-room.ts";

/** Of events: the place and time of a row, how long things took, and the hash that covers such times. */
const volatile: ReadonlySet<string> = new Set(["at", "seq", "expires_at", "duration_ms", "head_hash"]);

const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, member: unknown) => (volatile.has(key) ? undefined : member)).replaceAll(
      /zc-receipt-[\w-]+/g,
      "zc-receipt",
    ),
  );

/** State, text, history and events, without times and receipt tokens. */
export const comparable = ({ state, reason, text, history, events }: SeenTurn): unknown =>
  timeless({ state, reason, text, history, events });

const waiting: ReadonlySet<string> = new Set([
  "approval_requested",
  "approval_decided",
  "client_tool_requested",
  "turn_suspended",
  "turn_resumed",
]);

/** The same without any sign that somebody was waited for. */
export const withoutWaiting = (turn: SeenTurn): unknown =>
  comparable({ ...turn, events: turn.events.filter(({ type }) => !waiting.has(type)) });
