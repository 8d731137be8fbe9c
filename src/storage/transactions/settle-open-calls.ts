/** Gives every call of a step that has no disposition yet its one, and the whole round its entries. Rules: DU10, EV2–EV4. */
import type { CallOutcome } from "../../contracts/call.ts";
import type { ToolEntry } from "../../contracts/message.ts";
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import type { TurnRecord } from "../../contracts/turn.ts";
import { findCall, markSettled, type StoredCall } from "../call-store.ts";
import { insertEvents } from "../event-store.ts";
import type { StoreContext } from "../store-context.ts";
import { placeEvent } from "./place-event.ts";

/** Sealing makes events itself, so it needs the whole turn. */
export type SealContext = StoreContext & { readonly turn: TurnRecord };

export interface FoundOpen {
  readonly callId: string;
  readonly disposition: "outcome_unknown" | "interrupted";
}
export interface ClosedRound {
  /** In slot order, those that had no disposition. */
  readonly found: readonly FoundOpen[];
  /** In slot order, one for each call. */
  readonly entries: readonly ToolEntry[];
}
export interface OpenCallTexts {
  /** What the model and the clients are told of a call that was found open. */
  readonly describe: (disposition: FoundOpen["disposition"]) => string;
  /** The text of a result as history holds it, receipt line included. */
  readonly renderResult: (outcome: CallOutcome) => string;
}

/** As prepared, if preparation got that far (EV4). A started call has shown its `tool_call` already. */
function eventsOf({ call, prepared, state }: StoredCall, outcome: CallOutcome): TurnEventBody[] {
  const { callId, origin, index, providerCallId } = call;
  const { tool, args } = prepared ?? { tool: call.tool, args: call.args ?? call.argumentsText };
  const { shown: output, receipt: _none, ...rest } = outcome;
  const result: TurnEventBody = { type: "tool_result", callId, tool, origin, output, ...rest };
  if (state === "started") return [result];
  const provider = providerCallId === undefined ? {} : { providerCallId };
  const opened = { type: "tool_call", callId, tool, toolOrigin: null, arguments: args, origin, index } as const;
  return [{ ...opened, ...provider }, result];
}

function settleOpen(
  context: SealContext,
  texts: OpenCallTexts,
  stored: StoredCall,
): { found: FoundOpen; outcome: CallOutcome } {
  const { turn } = context;
  const { callId } = stored.call;
  const disposition = stored.state === "started" ? "outcome_unknown" : "interrupted";
  const shown = texts.describe(disposition);
  // How long a call of unknown outcome took is unknown, too.
  const told = { disposition, shown, chars: Array.from(shown).length } as const;
  const outcome: CallOutcome = { ...told, success: false, truncated: false, durationMs: 0 };
  markSettled(context, callId, { from: stored.state, at: context.now(), outcome });
  const events = eventsOf(stored, outcome).map((body) => placeEvent(turn, body, { iteration: stored.step }));
  insertEvents(context, { turn: turn.n }, events);
  return { found: { callId, disposition }, outcome };
}

/** For use inside a transaction. Settled calls keep what they have. */
export function settleOpenCalls(context: SealContext, texts: OpenCallTexts, callIds: readonly string[]): ClosedRound {
  const found: FoundOpen[] = [];
  const entries: ToolEntry[] = [];
  for (const callId of callIds) {
    const stored = findCall(context.sql, callId);
    if (stored === undefined) throw new Error(`call ${callId} has no row`);
    const settled = stored.outcome === undefined ? settleOpen(context, texts, stored) : undefined;
    if (settled !== undefined) found.push(settled.found);
    const outcome = settled?.outcome ?? stored.outcome;
    if (outcome === undefined) throw new Error(`call ${callId} has no outcome`);
    const { wireId, tool } = stored.call;
    const text = texts.renderResult(outcome);
    entries.push({ kind: "tool", turn: context.turn.id, callId, wireId, tool, text, success: outcome.success });
  }
  return { found, entries };
}
