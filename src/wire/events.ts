/** Encodes a TurnEvent as the one line of JSON that the log stores and every reader gets. Rules: EV1, EV10, SS2, SE55, TC12. */
import type { EventPlace, ToolProgress, TurnEvent } from "../contracts/turn-event.ts";
import { encodeTime } from "./iso-time.ts";
import { encodeNames } from "./snake-case.ts";

const userData: ReadonlySet<string> = new Set(["arguments", "data", "metadata", "todos"]);

export const encodeTurnEvent = (event: TurnEvent, place: EventPlace): string => encodeLine(event, place);

/** Of a shape with events, but without `seq`, for it has no place in the log (TC12). */
export const encodeToolProgress = (progress: ToolProgress, place: Omit<EventPlace, "seq">): string =>
  encodeLine(progress, place);

/** Envelope first, then the event's own fields; no raw line break of any kind is left in the text. */
function encodeLine(event: TurnEvent | ToolProgress, place: Partial<EventPlace> & Omit<EventPlace, "seq">): string {
  const { type, turn, agent, channel, iteration, parentAgent, parentCalls, ...fields } = event;
  return escapeSeparators(
    JSON.stringify({
      type,
      seq: place.seq,
      at: encodeTime(place.at),
      conversation: place.conversation,
      turn,
      agent,
      channel,
      iteration,
      parent_agent: parentAgent,
      parent_calls: parentCalls,
      ...encodeNames(encodeExpiry(fields), userData),
    }),
  );
}

/** The one time that an event carries beside its own. */
const encodeExpiry = (fields: object): object =>
  "expiresAt" in fields && typeof fields.expiresAt === "number"
    ? { ...fields, expiresAt: encodeTime(fields.expiresAt) }
    : fields;

/** JSON lets U+2028 and U+2029 stand in strings, but some line readers end a line at them. */
const escapeSeparators = (json: string): string =>
  json.replace(/[\u2028\u2029]/g, (mark) => (mark === "\u2028" ? "\\u2028" : "\\u2029"));
