/** T3, its steering: what waits enters history as user messages, each with its event. Rules: LC26, G12, HC11. */
import type { UserEntry } from "../../contracts/message.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { insertEvents } from "../event-store.ts";
import { appendMessages } from "../message-store.ts";
import { removeSteering, type SteeringMessage } from "../steering-store.ts";
import { findLastStep, rootKey } from "../step-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

const textOf = ({ input }: SteeringMessage): string =>
  input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** Throws while a response waits for its round: steering never stands inside a batch, nor before the text it came after. */
export function takeSteering(context: TurnContext, toEvent: (text: string) => TurnEvent): readonly UserEntry[] {
  const { sql, turn } = context;
  return sql.transaction(() => {
    const messages = removeSteering(sql, turn.n);
    if (messages.length === 0) return [];
    const { lastSeq: after } = requireHold(context);
    if (findLastStep(sql, rootKey(turn.n))?.state === "committed")
      throw new Error("steering cannot enter an open round");
    const entries = messages.map(({ input }): UserEntry => ({ kind: "user", turn: turn.id, parts: input }));
    appendMessages(sql, rootKey(turn.n), entries);
    insertEvents(
      context,
      { turn: turn.n, after },
      messages.map((message) => toEvent(textOf(message))),
    );
    return entries;
  });
}
