/** What every accepted turn consists of, wherever its input came from. Rules: G2, HC3. */
import type { InputPart } from "../../contracts/message.ts";
import type { TurnRecord } from "../../contracts/turn.ts";
import { insertEvents, lastEventSeq } from "../event-store.ts";
import { appendMessages } from "../message-store.ts";
import { rootKey } from "../step-store.ts";
import type { StoreContext } from "../store-context.ts";
import { insertTurn, type NewTurn } from "../turn-store.ts";
import { placeEvent } from "./place-event.ts";
import { placeStart } from "./place-start.ts";

export interface QueuedTurn extends Omit<NewTurn, "acceptedAt" | "firstSeq"> {
  readonly input: readonly InputPart[];
  /** What the event says of the input. */
  readonly summary: string;
}

/** For use inside a transaction: the turn, its user message, its first event, the deadline to start it. */
export function enqueueTurn(context: StoreContext, { input, summary, ...request }: QueuedTurn): TurnRecord {
  const { sql } = context;
  const after = lastEventSeq(sql);
  const turn = insertTurn(sql, { ...request, acceptedAt: context.now(), firstSeq: after + 1 });
  appendMessages(sql, rootKey(turn.n), [{ kind: "user", turn: turn.id, parts: input }]);
  const accepted = placeEvent(turn, { type: "turn_accepted", input: summary, entry: turn.entry });
  insertEvents(context, { turn: turn.n, after }, [accepted]);
  placeStart(context);
  return turn;
}
