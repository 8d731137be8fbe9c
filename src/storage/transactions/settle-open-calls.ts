/** Gives every call of a step that has no disposition yet its one, and the whole round its entries. Rules: DU10, EV2–EV4. */
import type { CallOutcome, Disposition } from "../../contracts/call.ts";
import type { ToolEntry } from "../../contracts/message.ts";
import type { OpenCallEnds } from "../../contracts/frame-seal.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";
import { findApproval } from "../approval-store.ts";
import { findCall, markSettled, type StoredCall } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import type { StoreContext } from "../store-context.ts";
import { writeApprovalEnd } from "./end-approval.ts";
import { contextOfCall } from "./place-event.ts";

/** Sealing makes events itself, so it needs the whole turn. */
export type SealContext = StoreContext & { readonly turn: TurnRecord };

export interface FoundOpen {
  readonly callId: string;
  readonly disposition: Disposition;
}
export interface ClosedRound {
  /** In slot order, those that had no disposition. */
  readonly found: readonly FoundOpen[];
  /** In slot order, one for each call. */
  readonly entries: readonly ToolEntry[];
}

function settleOpen(context: SealContext, { endCall }: OpenCallEnds, stored: StoredCall): CallOutcome {
  const { turn } = context;
  // Nobody is asked any more about a call that has ended, and the log says so before it says how the call did.
  const asked = stored.ruling?.approvalId;
  const open = asked === undefined ? undefined : findApproval(context.sql, asked);
  if (open?.approval.state === "pending")
    writeApprovalEnd(context, open, { state: "cancelled", provenance: "cancelled" });
  const { outcome, events } = endCall(stored);
  markSettled(context, stored.call.callId, { from: stored.state, at: context.now(), outcome });
  const place = contextOfCall(context.sql, turn, stored);
  const placed: TurnEvent[] = events.map((body) => ({ ...place, ...body }));
  insertEvents(context, { turn: turn.n }, placed);
  return outcome;
}

/** For use inside a transaction. Settled calls keep what they have. */
export function settleOpenCalls(context: SealContext, ends: OpenCallEnds, callIds: readonly string[]): ClosedRound {
  const found: FoundOpen[] = [];
  const entries: ToolEntry[] = [];
  for (const callId of callIds) {
    const stored = findCall(context.sql, callId);
    if (stored === undefined) throw new Error(`call ${callId} has no row`);
    const outcome = stored.outcome ?? settleOpen(context, ends, stored);
    if (stored.outcome === undefined) found.push({ callId, disposition: outcome.disposition });
    const { wireId, tool } = stored.call;
    const text = ends.renderResult(outcome);
    entries.push({ kind: "tool", turn: context.turn.id, callId, wireId, tool, text, success: outcome.success });
  }
  return { found, entries };
}
