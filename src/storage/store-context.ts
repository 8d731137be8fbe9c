/** What the transactions are given besides their own data: the database, the clock, the encoding of events. Rules: EV1. */
import type { AuditHasher } from "../contracts/audit.ts";
import type { EventPlace, TurnEvent } from "../contracts/turn-event.ts";
import type { SqlPort } from "./sql-port.ts";

/** One line of JSON: what the row holds, what every reader gets. */
export type EncodeEvent = (event: TurnEvent, place: EventPlace) => string;

export interface StoreContext {
  readonly sql: SqlPort;
  readonly conversation: string;
  readonly encodeEvent: EncodeEvent;
  readonly audit: AuditHasher;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /**
   * When the object is to be woken next, in epoch milliseconds; absent: not at all. Called inside the transaction that changed a
   * deadline, so that the alarm is kept or lost with its row.
   */
  readonly setAlarm: (at: number | undefined) => void;
  /** Milliseconds between two looks at a running turn; default: half a minute. */
  readonly heartbeatMs?: number;
}

/** A turn as its writer knows it: if the row's attempt is another, somebody has taken the turn over. */
export interface HeldTurn {
  readonly n: number;
  readonly id: string;
  readonly attempt: number;
}
export interface TurnContext extends StoreContext {
  readonly turn: HeldTurn;
}

/** The frame of a turn that is nobody's delegate. */
export const rootFrame = "";

/** One ToolLoop of a turn, for what each of them has of its own: its steps and its messages. */
export interface FrameContext extends TurnContext {
  /** Id of the call that opened it; `rootFrame` for the turn's own. */
  readonly frame: string;
}
