/** TurnCheckpoint: what of a suspended ToolLoop is not in rows, as plain versioned JSON, and the way back. Rules: CK1–CK5, CK8–CK10, CK18, RX7, RX8. */
import type { ModelCall, StoredBatchCall } from "../../contracts/call.ts";
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import type { IssuedReceipt, TurnUsage } from "../../contracts/turn.ts";
import { canonicalJson } from "../../receipts/canonical-json.ts";
import { digestText } from "../../receipts/digest.ts";
import { receiptLine } from "../../receipts/format.ts";
import { type PinnedExecution, grantedNames, pinExecution } from "../execution/pin-execution.ts";
import type { RuntimeKnobs } from "../execution/runtime-knobs.ts";
import { CallSlots, type ComparedCall } from "./call-slots.ts";
import { restoreListing } from "./deferred-tools.ts";
import type { LoopCall } from "./guards/loop-record.ts";
import {
  type FrameGuardStates,
  type TurnGuardStates,
  createFrameGuards,
  createTurnGuards,
  frameGuardStates,
  turnGuardStates,
} from "./guards/guards.ts";
import type { OpenBatch } from "./open-batch.ts";
import { freezeJson } from "./plain-json.ts";
import type { JudgedCall } from "./steps/approval-gate.ts";
import * as sentences from "./runtime-sentences.ts";
import type { UnrunSettlement } from "./settle-unrun.ts";
import { signatureOf } from "./steps/call-prep.ts";
import { turnsKept, withoutTrimmed } from "./trim-history.ts";
import { type ToolLoop, type ToolLoopParts, runningMs, wireIdsOf } from "./turn-context.ts";

const VERSION = 1;
/** A release reads its own and the two before it. */
const OLDEST_READABLE = 1;

/** Texts, arguments and results are in rows, found by id; keys and secrets are nowhere here (CK4). */
export interface TurnCheckpoint extends PinnedExecution {
  readonly version: number;
  readonly turn: string;
  readonly agent: string;
  readonly iteration: number;
  readonly pot: number;
  readonly calls: number;
  readonly usage: TurnUsage;
  readonly receipts: readonly IssuedReceipt[];
  readonly ranMs: number;
  readonly reportedTokens: number;
  readonly turnGuards: TurnGuardStates;
  readonly frameGuards: FrameGuardStates;
  readonly hidden: readonly string[];
  /** Names of the stubs in the turn's listing; absent when there was none (TS11). */
  readonly listed?: readonly string[];
  /** Calls of the open batch that the loop detector kept from running; their rows do not say what they would have been. */
  readonly blocked?: readonly BlockedCall[];
  /** History turns that were left to send once older ones had been trimmed away; absent when none had. */
  readonly keptTurns?: number;
}

export interface BlockedCall extends LoopCall {
  readonly callId: string;
}

interface Settled {
  readonly call: ModelCall;
  readonly compared?: ComparedCall | undefined;
}

/** Those that the detector must still be told of at the end of their round (LC11). */
export const blockedCalls = (settled: readonly Settled[]): readonly BlockedCall[] =>
  settled.flatMap(({ call: { callId }, compared }) =>
    compared === undefined || compared.outputDigest !== undefined ? [] : [{ ...compared, callId }],
  );

export function encodeCheckpoint(loop: ToolLoop, blocked: readonly BlockedCall[]): JsonObject {
  const { execution, shared } = loop;
  const keptTurns = turnsKept(loop);
  const checkpoint: TurnCheckpoint = {
    version: VERSION,
    turn: loop.identity.turn,
    agent: execution.agent.alias,
    iteration: loop.iteration,
    pot: shared.pot,
    calls: shared.calls,
    usage: shared.usage,
    receipts: shared.receipts,
    ranMs: runningMs(loop),
    reportedTokens: loop.reportedTokens,
    turnGuards: turnGuardStates(shared.guards),
    frameGuards: frameGuardStates(loop.guards),
    hidden: [...loop.hidden],
    knobs: execution.knobs,
    risk: execution.risk,
    granted: grantedNames(execution.registry),
    ...(loop.listing.names.length === 0 ? {} : { listed: loop.listing.names }),
    ...(blocked.length === 0 ? {} : { blocked }),
    ...(keptTurns === undefined ? {} : { keptTurns }),
  };
  // One trip through text: what is stored is data, with no function or shared reference in it.
  return JSON.parse(JSON.stringify(checkpoint)) as JsonObject;
}

/** The knobs that a suspended turn was pinned to, for what happens to its calls while it waits. */
export const readPinnedKnobs = (stored: JsonValue): RuntimeKnobs | undefined => readCheckpoint(stored)?.knobs;

export interface RestoredLoop {
  readonly loop: ToolLoop;
  readonly batch: OpenBatch;
}

/** The loop as it was when it let go, its batch at the gate. A version that cannot be read is never guessed at (CK18). */
export function restoreToolLoop(parts: ToolLoopParts, stored: JsonValue): Result<RestoredLoop, "checkpoint_version"> {
  const checkpoint = readCheckpoint(stored);
  if (checkpoint === undefined) return failWith("checkpoint_version");
  const execution = pinExecution(parts.execution, checkpoint);
  const history = parts.journal.history();
  const loop: ToolLoop = {
    ...parts,
    execution,
    history: [...withoutTrimmed(history, checkpoint)],
    usedWireIds: wireIdsOf(history),
    hidden: new Set(checkpoint.hidden),
    listing: restoreListing(execution, checkpoint.listed),
    frame: { depth: 0, parentCalls: [] },
    shared: {
      pot: checkpoint.pot,
      calls: checkpoint.calls,
      usage: checkpoint.usage,
      receipts: [...checkpoint.receipts],
      guards: createTurnGuards(checkpoint.turnGuards),
    },
    guards: createFrameGuards(execution.knobs.pacing, checkpoint.frameGuards),
    iteration: checkpoint.iteration,
    ranBeforeMs: checkpoint.ranMs,
    since: execution.ports.now(),
    reportedTokens: checkpoint.reportedTokens,
  };
  return succeed({ loop, batch: restoreBatch(loop, checkpoint.blocked) });
}

function readCheckpoint(stored: JsonValue): TurnCheckpoint | undefined {
  if (typeof stored !== "object" || stored === null || !("version" in stored)) return undefined;
  const { version } = stored;
  if (typeof version !== "number" || version < OLDEST_READABLE || version > VERSION) return undefined;
  return stored as JsonObject & TurnCheckpoint;
}

/** Settled calls go to their slots; what was decided or needed no decision waits to be released (CK8). */
function restoreBatch(loop: ToolLoop, blocked: readonly BlockedCall[] = []): OpenBatch {
  const message = loop.journal.stepMessage(loop.iteration);
  for (const { wireId } of message.calls) loop.usedWireIds.add(wireId);
  const calls = loop.journal.batchCalls(loop.iteration);
  const slots = new CallSlots(calls.length);
  const waiting: JudgedCall[] = [];
  const settled: UnrunSettlement[] = [];
  for (const stored of calls) {
    const { call, outcome, state } = stored;
    if (outcome === undefined && state === "started") throw new Error(`${call.callId} is still with the client`);
    if (outcome !== undefined) {
      const { receipt, shown } = outcome;
      noteRefusedPrompt(loop, stored);
      const modelText = receipt === undefined ? shown : shown + receiptLine(receipt.token);
      const result = { call, outcome, modelText, ...comparedOf(stored, blocked) };
      slots.fill(result);
      continue;
    }
    const judged = toJudgedCall(loop, stored);
    if ("reason" in judged) settled.push(judged);
    else waiting.push(judged);
  }
  // A batch that waited for somebody never becomes parallel (DI2).
  return { message, slots, waiting, settled, parallel: false };
}

/** A prompt that was turned down while the turn waited counts from now on (CP16). */
function noteRefusedPrompt({ shared }: ToolLoop, { prepared, outcome }: StoredBatchCall): void {
  if (prepared?.approvalId === undefined || outcome === undefined) return;
  const signature = signatureOf(prepared.tool, canonicalJson(prepared.args));
  shared.guards.repeatedPrompt.record(signature, outcome.disposition);
}

function comparedOf(
  { call, prepared, outcome, resultDigest }: StoredBatchCall,
  blocked: readonly BlockedCall[],
): { compared?: ComparedCall } {
  const kept = blocked.find(({ callId }) => callId === call.callId);
  if (kept !== undefined) return { compared: { tool: kept.tool, argsDigest: kept.argsDigest } };
  if (prepared === undefined || outcome === undefined) return {};
  const { tool, argsDigest } = prepared;
  // Only what stands in for a result has none of its own: a replacement.
  return { compared: { tool, argsDigest, outputDigest: resultDigest ?? digestText(outcome.shown) } };
}

/** The decision is in the rows; nothing of preparation, hooks or rules is asked again (CK5, CK9). */
function toJudgedCall(
  { execution }: ToolLoop,
  { call, prepared, state }: StoredBatchCall,
): JudgedCall | UnrunSettlement {
  if (prepared === undefined) throw new Error(`${call.callId} is open and was never prepared`);
  const { tool: name, definitionHash, args, argsDigest, requirement, approvalId } = prepared;
  const resolution = execution.registry.resolve(name);
  const known = "tool" in resolution ? { args, tool: resolution.tool } : { args };
  // Still asked about at re-entry: only a cancel takes a turn up like that (DI8, CK13).
  if (state === "awaiting_approval") {
    return { call, reason: { disposition: "cancelled", sentence: sentences.cancelledWhileAsking, ...known } };
  }
  if (!("tool" in resolution)) {
    return { call, reason: { disposition: "not_available", sentence: sentences.notAvailable(name), ...known } };
  }
  const { tool } = resolution;
  const canonical = canonicalJson(args);
  // The bytes that would run must be the bytes that were approved (AP5).
  if (digestText(canonical) !== argsDigest) {
    return { call, reason: { disposition: "refused", sentence: sentences.approvalDoesNotFit, ...known } };
  }
  return {
    prepared: {
      call,
      tool,
      definitionHash,
      args: freezeJson(args),
      argsDigest,
      signature: signatureOf(name, canonical),
    },
    ruling: { requirement: requirement === "not_required" ? "not_required" : "approved", line: 7 },
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}
