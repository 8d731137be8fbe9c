/** Turn runner: takes a queued turn through the ToolLoop to its end, and leaves no turn half-ended. Rules: T2, LC31, DU10. */
import type { TurnEvent, TurnEventBody } from "../src/contracts/turn-event.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import { finishTurn } from "../src/core/turn/finish-turn.ts";
import { NOT_RUN, OUTCOME_UNKNOWN } from "../src/core/turn/runtime-sentences.ts";
import { runToolLoop } from "../src/core/turn/tool-loop.ts";
import { createToolLoop } from "../src/core/turn/turn-context.ts";
import { digestText } from "../src/receipts/digest.ts";
import { receiptLine } from "../src/receipts/format.ts";
import { readInput } from "../src/storage/message-store.ts";
import { openScope } from "../src/storage/receipt-store.ts";
import { type Seal, sealInterrupted } from "../src/storage/transactions/seal-interrupted.ts";
import { startTurn } from "../src/storage/transactions/start-turn.ts";
import { TurnSuperseded } from "../src/storage/transactions/turn-hold.ts";
import { createTurnJournal } from "../src/storage/turn-journal.ts";
import { assembleExecution } from "./assemble.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";
import { systemPorts } from "./system-ports.ts";

/**
 * Up to its first await this runs in the caller's transaction window, so that accept and start share one commit.
 * False when another turn is open or this one is not queued any more: nothing was run.
 */
export async function runTurn(parts: ConversationParts, turn: TurnRecord): Promise<boolean> {
  const started = turnEvent(turn, {
    type: "turn_started",
    input: summarizeInput(readInput(parts.store.sql, turn.n)),
    entry: turn.entry,
  });
  if (!startTurn({ ...parts.store, turn }, started)) return false;
  parts.fanout.wake();
  try {
    await runLoop(parts, turn);
  } catch (error) {
    if (error instanceof TurnSuperseded) return true;
    systemPorts.log("error", "turn_internal", { turn: turn.id, error: String(error) });
    sealTurn(parts, turn, "internal");
  }
  return true;
}

async function runLoop(parts: ConversationParts, turn: TurnRecord): Promise<void> {
  const { deployment, owner, store, fanout } = parts;
  const agent = deployment.config.agents.get(turn.agent);
  const perTurn = agent?.toolReceipts.scope === "turn";
  const scopeId = perTurn ? `${owner.conversation}/${turn.id}` : owner.conversation;
  const salt = openScope(store.sql, scopeId, () => crypto.getRandomValues(new Uint8Array(16)));
  const journal = createTurnJournal({
    ...store,
    turn,
    scopeId,
    digestToken: digestText,
    maxContextBytes: deployment.config.limits.maxContextBytes,
    sync: parts.durable,
    onCommitted: () => fanout.wake(),
  });
  const loop = createToolLoop({
    execution: assembleExecution({ deployment, turn, journal, scope: { ...owner, scopeId, salt } }),
    identity: { ...owner, turn: turn.id, channel: turn.channel, subject: turn.subject },
    journal,
    cancel: new AbortController().signal,
  });
  finishTurn(loop, await runToolLoop(loop));
}

/** A turn that no loop runs any more is ended from its rows: what is known of it is said, and nothing is run again. */
export function sealTurn(parts: ConversationParts, turn: TurnRecord, reason: Seal["reason"]): void {
  sealInterrupted(
    { ...parts.store, turn },
    {
      reason,
      describe: (disposition) => (disposition === "outcome_unknown" ? OUTCOME_UNKNOWN : NOT_RUN),
      announce: ({ call }) => ({ tool: call.tool, toolOrigin: null, args: call.args ?? call.argumentsText }),
      renderResult: ({ shown, receipt }) => (receipt === undefined ? shown : shown + receiptLine(receipt.token)),
    },
  );
  parts.fanout.wake();
}

export const turnEvent = (
  { id, agent, channel }: Pick<TurnRecord, "id" | "agent" | "channel">,
  body: TurnEventBody,
): TurnEvent => ({
  turn: id,
  agent,
  channel,
  ...body,
});
