/** The event log as the client can read it: a live stream, or pages that may wait. Rules: DU29, SS5, SS8, SS9. */
import { resolveCursor } from "../../wire/cursor.ts";
import { decodeEventsQuery, type EventsQuery } from "../../wire/queries.ts";
import { encodeEventPage } from "../../wire/responses.ts";
import { omitUndefined } from "../../wire/present.ts";
import type { Conversation } from "../conversation.ts";
import { isForNow, passOn, respondCutStream, respondJsonText } from "../respond.ts";
import { type Answer, defineRead, type Route } from "../route.ts";

export const eventRoutes: readonly Route[] = [
  defineRead({
    path: "/v1/conversations/:conversation/events",
    scope: "events:read",
    offers: ["application/json", "text/event-stream"],
    query: decodeEventsQuery,
    answer: async ({ param, open, header, accepted, query }) => {
      const lastEventId = header("last-event-id");
      const cursor = resolveCursor({ lastEventId, after: query.after });
      if (!cursor.ok) return cursor;
      const conversation = open(param("conversation"));
      const after = cursor.value ?? 0;
      if (accepted === "application/json") return await readPage(conversation, query, after);
      const resumed = lastEventId !== undefined && lastEventId !== "";
      return await openStream(conversation, { turn: query.turn, after, resumed });
    },
  }),
];

async function readPage(conversation: Conversation, query: EventsQuery, after: number): Promise<Answer> {
  const { turn, limit, waitSecs } = query;
  const asked = omitUndefined({ turn, after, limit, waitSecs });
  const page = await conversation.call((stub, caller) => stub.readEvents(caller, asked), {
    idempotent: true,
    waitSecs,
  });
  return page.ok ? respondJsonText(encodeEventPage(page.value)) : page;
}

interface StreamQuery {
  readonly turn: string | undefined;
  readonly after: number;
  /** The client has a cursor: an EventSource among them gives up for ever on any status but 200. */
  readonly resumed: boolean;
}

async function openStream(conversation: Conversation, { turn, after, resumed }: StreamQuery): Promise<Answer> {
  const path = turn === undefined ? `/events?after=${after}` : `/events?turn=${turn}&after=${after}`;
  const stream = await conversation.fetch(path);
  if (resumed && (await isForNow(stream))) return respondCutStream();
  if (!stream.ok) return stream;
  return passOn(stream.value, turn === undefined ? {} : { "x-countersign-turn": turn });
}
