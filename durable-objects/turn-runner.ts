/** Turn runner: takes a queued turn through the ToolLoop to its end, and leaves no turn half-ended. Rules: T2, LC31, DU10. */
import type { InputPart } from "../src/contracts/message.ts";
import type { TurnEvent, TurnEventBody } from "../src/contracts/turn-event.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { ResolvedAgentExecution } from "../src/core/execution/resolved-agent-execution.ts";
import { restoreToolLoop } from "../src/core/turn/checkpoint.ts";
import { finishTurn } from "../src/core/turn/finish-turn.ts";
import { observeAgent } from "../src/core/turn/observe-turn.ts";
import type { LoopOutcome } from "../src/core/turn/outcome.ts";
import { NOT_RUN, OUTCOME_UNKNOWN, textWasCut } from "../src/core/turn/runtime-sentences.ts";
import { runToolLoop } from "../src/core/turn/tool-loop.ts";
import { type ToolLoop, type ToolLoopParts, createToolLoop } from "../src/core/turn/turn-context.ts";
import { filterMessage, hiddenTools } from "../src/policy/tool-filter-groups.ts";
import { digestText } from "../src/receipts/digest.ts";
import { receiptLine } from "../src/receipts/format.ts";
import { readInput } from "../src/storage/message-store.ts";
import { openScope } from "../src/storage/receipt-store.ts";
import { type Seal, sealInterrupted } from "../src/storage/transactions/seal-interrupted.ts";
import { startTurn } from "../src/storage/transactions/start-turn.ts";
import { TurnSuperseded } from "../src/storage/transactions/turn-hold.ts";
import { createTurnJournal } from "../src/storage/turn-journal.ts";
import { type CancelReason, findTurn, readCheckpoint } from "../src/storage/turn-store.ts";
import { assembleExecution } from "./assemble.ts";
import { withdrawOffered } from "./client-call-verbs.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";
import { systemPorts } from "./system-ports.ts";

/**
 * Up to its first await this runs in the caller's transaction window, so that accept and start share one commit.
 * False when another turn is open or this one is not queued any more: nothing was run.
 */
export async function runTurn(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): Promise<boolean> {
  const started = turnEvent(turn, {
    type: "turn_started",
    input: summarizeInput(readInput(parts.store.sql, turn.n)),
    entry: turn.entry,
  });
  if (!startTurn({ ...parts.store, turn }, started)) return false;
  parts.fanout.wake();
  return guardBugs(parts, turn, async () => {
    const loop = createToolLoop(assembleLoop(parts, turn, cancel));
    return observeAgent(loop, async () => endTurn(parts, { turn, loop }, await runToolLoop(loop)));
  });
}

/** Goes on at the gate with what the rows say now; nothing that was done before is done again (CK5). */
export function resumeTurn(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): Promise<boolean> {
  parts.fanout.wake();
  return guardBugs(parts, turn, async () => {
    const checkpoint = readCheckpoint(parts.store.sql, turn.n) ?? null;
    if (cancel.aborted) await withdrawOffered(parts, turn);
    const restored = restoreToolLoop(assembleLoop(parts, turn, cancel), checkpoint);
    if (!restored.ok) return sealTurn(parts, turn, restored.failure);
    const { loop, batch } = restored.value;
    return observeAgent(loop, async () => endTurn(parts, { turn, loop }, await runToolLoop(loop, batch)));
  });
}

/** What is thrown is a bug; it ends the turn and no other (LC31). */
async function guardBugs(parts: ConversationParts, turn: TurnRecord, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
  } catch (error) {
    if (error instanceof TurnSuperseded) return true;
    systemPorts.log("error", "turn_internal", { turn: turn.id, error: String(error) });
    sealTurn(parts, turn, "internal");
  }
  return true;
}

interface RunningTurn {
  readonly turn: TurnRecord;
  readonly loop: ToolLoop;
}

/** A turn that waits for somebody leaves nothing here but the alarm of its deadline (DU5). */
function endTurn(parts: ConversationParts, { turn, loop }: RunningTurn, outcome: LoopOutcome): LoopOutcome["kind"] {
  if (outcome.kind === "suspended") parts.armAlarm();
  else finishTurn(loop, outcome.kind === "cancelled" ? { ...outcome, reason: cancelReasonOf(parts, turn) } : outcome);
  return outcome.kind;
}

/** The loop knows that it was cancelled; who wanted it is in the row (T13). */
const cancelReasonOf = ({ store }: ConversationParts, { id }: TurnRecord): CancelReason =>
  findTurn(store.sql, id)?.cancelReason ?? "cancel";

function assembleLoop(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): ToolLoopParts {
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
  const execution = assembleExecution({ deployment, turn, journal, scope: { ...owner, scopeId, salt } });
  return {
    execution,
    identity: { ...owner, turn: turn.id, channel: turn.channel, subject: turn.subject, interactive: true },
    journal,
    cancel,
    hidden: hiddenFor(execution, readInput(store.sql, turn.n)),
  };
}

/** From the message that started the turn, once (TS7). */
function hiddenFor({ knobs, registry }: ResolvedAgentExecution, input: readonly InputPart[]): ReadonlySet<string> {
  const tools = [...registry.visible, ...registry.stubs].map(({ definition, origin }) => ({
    name: definition.name,
    origin,
  }));
  return hiddenTools(knobs.toolFilterGroups, tools, filterMessage(input));
}

/** A turn that no loop runs any more is ended from its rows: what is known of it is said, and nothing is run again. */
export function sealTurn(parts: ConversationParts, turn: TurnRecord, reason: Seal["reason"]): void {
  sealInterrupted(
    { ...parts.store, turn },
    {
      reason,
      cutNote: textWasCut,
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
