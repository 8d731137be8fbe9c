/** The turn's end: an outcome becomes the terminal state, the last history entries and `turn_finished`. Rules: EV8, EV11, T12, RE10, RE11. */
import type { TurnEnd, TurnEndReason, TurnSummary } from "../../contracts/turn.ts";
import type { TextCheck } from "../../contracts/text-check.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { checkReceipts } from "./check-receipts.ts";
import { observeTurnEnd } from "./observe-turn.ts";
import type { EndedOutcome } from "./outcome.ts";
import { receiptsBlock } from "./receipts-block.ts";
import { type ToolLoop, eventOf, iterationsOf } from "./turn-context.ts";

const stateOf: Record<EndedOutcome["kind"], TurnEnd> = {
  final: "completed",
  cancelled: "cancelled",
  capped: "capped",
  stopped: "stopped",
  failed: "failed",
};

/** The loop knows that it was cancelled; who wanted it is in the row (T13). */
function reasonOf({ journal }: ToolLoop, outcome: EndedOutcome): { readonly reason?: TurnEndReason } {
  if (outcome.kind === "final") return {};
  return { reason: outcome.kind === "cancelled" ? (journal.cancelReason() ?? outcome.reason) : outcome.reason };
}

/** What a frame's end makes true, written with it: a crash leaves both or neither. */
export const eventsOfEnd = (loop: ToolLoop, { events = [] }: EndedOutcome): readonly TurnEvent[] =>
  events.map((body) => eventOf(loop, body));

/** Nothing is said of a text that quotes nothing and claims nothing doubtful. */
const noticeOf = (loop: ToolLoop, check: TextCheck | undefined): readonly TurnEvent[] =>
  check === undefined || check.quoted + check.fabricated.length + check.claims.length === 0
    ? []
    : [eventOf(loop, { type: "receipt_check", ...check })];

/** False when somebody else ended the turn first; then nothing is written. */
export function finishTurn(loop: ToolLoop, ended: EndedOutcome): boolean {
  const { outcome, check } = checkReceipts(loop, ended);
  const { usage, receipts } = loop.shared;
  const state = stateOf[outcome.kind];
  const reason = reasonOf(loop, outcome);
  const summary: TurnSummary = {
    outcome: state,
    ...reason,
    ...(outcome.kind === "final" ? { finishReason: outcome.finishReason } : {}),
    // The receipts block is for the reader; history keeps what the model said.
    text: outcome.kind === "final" ? outcome.text + receiptsBlock(loop) : outcome.text,
    usage,
    iterations: iterationsOf(loop),
    receipts: [...receipts],
    ...(check === undefined ? {} : { receiptCheck: check }),
  };
  const finished = loop.journal.finish({
    state,
    ...reason,
    summary,
    entries: outcome.entries,
    events: [
      ...eventsOfEnd(loop, outcome),
      ...noticeOf(loop, check),
      eventOf(loop, { type: "turn_finished", ...summary }),
    ],
  });
  if (finished) observeTurnEnd(loop, state);
  return finished;
}
