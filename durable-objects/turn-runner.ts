/** Turn runner: takes a queued turn through the ToolLoop to its end, and leaves no turn half-ended. Rules: T2, LC31, DU10. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import { hideTools } from "../src/core/execution/hide-tools.ts";
import { readPinnedKnobs } from "../src/core/turn/checkpoint.ts";
import { type DrivenTurn, driveTurn } from "../src/core/turn/drive-turn.ts";
import { frameSeal } from "../src/core/turn/end-open-call.ts";
import type { TurnIdentity } from "../src/core/turn/turn-context.ts";
import { filterMessage } from "../src/policy/tool-filter-groups.ts";
import { listBarred } from "../src/storage/barred-store.ts";
import { findFrame } from "../src/storage/frame-store.ts";
import { readInput } from "../src/storage/message-store.ts";
import { openScope } from "../src/storage/receipt-store.ts";
import { placeEvent } from "../src/storage/transactions/place-event.ts";
import { readTries } from "../src/storage/recovery-store.ts";
import { rootFrame } from "../src/storage/store-context.ts";
import { type Seal, sealInterrupted } from "../src/storage/transactions/seal-interrupted.ts";
import { startTurn } from "../src/storage/transactions/start-turn.ts";
import { TurnSuperseded } from "../src/storage/transactions/turn-hold.ts";
import { createTurnJournal } from "../src/storage/turn-journal.ts";
import { readRequestTools } from "../src/storage/turn-store.ts";
import { assembleExecution } from "./assemble.ts";
import { withdrawOffered } from "./client-call-verbs.ts";
import type { ConversationParts, Owner } from "./conversation-parts.ts";
import { type RecoveryPlan, isReset, planRecovery } from "./recovery.ts";
import { summarizeInput } from "./summarize-input.ts";
import { systemPorts } from "./system-ports.ts";

/**
 * Up to its first await this runs in the caller's transaction window, so that accept and start share one commit.
 * False when another turn is open or this one is not queued any more: nothing was run.
 */
export async function runTurn(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): Promise<boolean> {
  const started = placeEvent(turn, {
    type: "turn_started",
    input: summarizeInput(readInput(parts.store.sql, turn.n)),
    entry: turn.entry,
  });
  if (!startTurn({ ...parts.store, turn }, started)) return false;
  return goOn(parts, turn, cancel);
}

/** Goes on where the rows say; nothing that was done before is done again (CK5). False when the turn is not this instance's any more. */
export async function goOn(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): Promise<boolean> {
  parts.fanout.wake();
  const ran = await guardBugs(parts, turn, async () => {
    const reading = listServers(parts, turn, cancel);
    // Without anything to read, accept and start still share one commit.
    if (reading !== undefined) await reading;
    const run = await driveTurn(assembleLoop(parts, turn, cancel), () => withdrawOffered(parts, turn));
    if (run === "checkpoint_version") sealTurn(parts, turn, run);
  });
  parts.mcp.close();
  return ran;
}

/** Before its frame is opened, which fixes its tools; a turn that is taken up again learns what it has lost of them (RX7). */
function listServers({ deployment, mcp }: ConversationParts, turn: TurnRecord, cancel: AbortSignal) {
  const agent = deployment.config.agents.get(turn.agent);
  return agent === undefined ? undefined : mcp.prepare(agent, cancel);
}

async function guardBugs(parts: ConversationParts, turn: TurnRecord, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    return sealBug(parts, turn, error);
  }
}

/** What is thrown is a bug; it ends the turn and no other (LC31). False when it is none: somebody else has the turn, or will. */
export function sealBug(parts: ConversationParts, turn: TurnRecord, error: unknown): boolean {
  // Whoever has the turn now goes on with it; the alarm looks after one that nobody has (DU20).
  if (error instanceof TurnSuperseded || isReset(error)) return false;
  systemPorts.log("error", "turn_internal", { turn: turn.id, error: String(error) });
  sealTurn(parts, turn, "internal");
  return true;
}

function assembleLoop(parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal): DrivenTurn {
  const { deployment, owner, store, fanout, mcp, tenant, progress } = parts;
  const agent = deployment.config.agents.get(turn.agent);
  const perTurn = agent?.toolReceipts.scope === "turn";
  const scopeId = perTurn ? `${owner.conversation}/${turn.id}` : owner.conversation;
  const salt = openScope(store.sql, scopeId, () => crypto.getRandomValues(new Uint8Array(16)));
  const journal = createTurnJournal({
    ...store,
    turn,
    scopeId,
    maxContextBytes: deployment.config.limits.maxContextBytes,
    sync: parts.durable,
    onCommitted: () => fanout.wake(),
  });
  const execution = assembleExecution({
    deployment,
    mcp,
    turn,
    tenant,
    progress,
    scope: { ...owner, scopeId, salt },
    requestTools: readRequestTools(store.sql, turn.n),
    barred: listBarred(store.sql),
  });
  return {
    execution,
    identity: { ...owner, ...envelopeOf(turn) },
    journal,
    cancel,
    // From the message that started the turn, once (TS7).
    hidden: hideTools(execution, filterMessage(readInput(store.sql, turn.n))),
  };
}

/** How the turn came in (RX2). Nobody follows what a hook started, and no callback can ask yet (AP9). */
function envelopeOf({ id, channel, subject, entry, metadata }: TurnRecord): Omit<TurnIdentity, keyof Owner> {
  const replyTarget = metadata?.["reply_to"];
  const reply = typeof replyTarget === "string" ? { replyTarget: replyTarget.toWellFormed() } : {};
  return { turn: id, channel, subject, interactive: entry !== "webhook", ...reply };
}

/** By how often it was tried, and for how long. */
export function planTakeUp({ store }: ConversationParts, turn: TurnRecord): RecoveryPlan {
  const pinned = findFrame(store.sql, { turn: turn.n, frame: rootFrame })?.record.pinned ?? null;
  const seconds = readPinnedKnobs(pinned)?.noProgressSecs ?? 0;
  return planRecovery(readTries(store.sql, turn.n), { now: store.now(), noProgressMs: seconds * 1000 });
}

/** A turn that no loop runs any more is ended from its rows: what is known of it is said, and nothing is run again. */
export function sealTurn(parts: ConversationParts, turn: TurnRecord, reason: Seal["reason"]): void {
  sealInterrupted({ ...parts.store, turn }, { reason, ...frameSeal });
  parts.fanout.wake();
}
