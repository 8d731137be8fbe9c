/** A conversation for storage tests: a database with a clock, turns made step by step, a reader of everything stored. */
import type { CallOutcome, ModelCall } from "../../src/contracts/call.ts";
import type { HistoryEntry } from "../../src/contracts/message.ts";
import type { TurnJournal } from "../../src/contracts/turn-journal.ts";
import type { SignedReceipt } from "../../src/contracts/receipt.ts";
import type { Result } from "../../src/contracts/result.ts";
import type { TurnEvent, TurnEventBody } from "../../src/contracts/turn-event.ts";
import type { TurnSummary, TurnUsage } from "../../src/contracts/turn.ts";
import type { AcceptedTurn } from "../../src/contracts/verbs.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { headAfter } from "../../src/receipts/sign.ts";
import { dropCharge } from "../../src/storage/charge-store.ts";
import { createConversation } from "../../src/storage/conversation-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { factTypes } from "../../src/storage/event-store.ts";
import { confirmFacts, takeOutgoing } from "../../src/storage/outbox.ts";
import { hasOutgoing } from "../../src/storage/outbox-deadline.ts";
import { openScope } from "../../src/storage/receipt-store.ts";
import type { SqlPort, SqlRow } from "../../src/storage/sql-port.ts";
import type { StoreContext } from "../../src/storage/store-context.ts";
import { type AcceptRefusal, acceptTurn, type TurnAcceptance } from "../../src/storage/transactions/accept-turn.ts";
import { type Seal, sealInterrupted } from "../../src/storage/transactions/seal-interrupted.ts";
import { startTurn } from "../../src/storage/transactions/start-turn.ts";
import { createTurnJournal } from "../../src/storage/turn-journal.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { encodeUtf8 } from "../../src/storage/utf8.ts";

export interface TestDatabase {
  readonly sql: SqlPort;
  /** Rows written since it was opened. */
  readonly written: () => number;
}
/** Runs `act` on an empty database of its own. */
export type WithDatabase = <Value>(act: (database: TestDatabase) => Value | Promise<Value>) => Promise<Value>;

export const conversation = "conversation_1";
export const usage: TurnUsage = {
  inputTokens: 10,
  outputTokens: 5,
  cachedTokens: 2,
  reasoningTokens: 1,
  exact: true,
  costUsd: 0.25,
};

export const makeEvent = (turn: string, body: TurnEventBody): TurnEvent => ({
  turn,
  agent: "ada",
  channel: "http",
  ...body,
});

export function makeCall(turn: string, index: number): ModelCall {
  const callId = `call_${turn}_${index}`;
  const args = { city: `city ${index}` };
  return {
    callId,
    index,
    wireId: callId,
    tool: "weather",
    argumentsText: JSON.stringify(args),
    args,
    origin: "native",
  };
}

export function makeOutcome(shown: string, receipt?: SignedReceipt): CallOutcome {
  const told = { shown, chars: Array.from(shown).length, truncated: false, durationMs: 5 };
  return receipt === undefined
    ? { disposition: "failed", success: false, ...told }
    : { disposition: "succeeded", success: true, ...told, receipt };
}

export const renderResult = ({ shown, receipt }: CallOutcome): string =>
  receipt === undefined ? shown : `${shown}\n\n[receipt: ${receipt.token}]`;

export const assistant = (
  turn: string,
  text: string,
  calls: readonly ModelCall[] = [],
): HistoryEntry & { kind: "assistant" } => ({
  kind: "assistant",
  turn,
  text,
  calls: calls.map(({ callId, wireId, tool, argumentsText }) => ({ callId, wireId, tool, argumentsText })),
});

export function toolEntry(turn: string, call: ModelCall, outcome: CallOutcome): HistoryEntry {
  const { callId, wireId, tool } = call;
  return { kind: "tool", turn, callId, wireId, tool, text: renderResult(outcome), success: outcome.success };
}

export const seal: Seal = {
  reason: "recovery_exhausted",
  cutNote: "cut",
  endCall: ({ call, state, prepared }) => {
    const disposition = state === "started" ? "outcome_unknown" : "interrupted";
    const outcome: CallOutcome = { ...makeOutcome(`text for ${disposition}`), disposition };
    const { callId, origin, index } = call;
    const { tool, args } = prepared ?? { tool: call.tool, args: {} };
    const { shown: output, receipt: _none, ...rest } = outcome;
    const result = { type: "tool_result", callId, tool, origin, output, ...rest } as const;
    const announced = {
      type: "tool_call",
      callId,
      tool,
      toolOrigin: "builtin",
      arguments: args,
      origin,
      index,
    } as const;
    return { outcome, events: state === "started" ? [result] : [announced, result] };
  },
  renderResult,
};

/** Minted ids name their turn. */
const turnOfCall = ({ callId }: ModelCall): string => callId.split("_")[1] ?? "";

/** Members that storage reads back from its log have their wire names there. */
const encodeEvent: StoreContext["encodeEvent"] = (event, place) => {
  const { messageId, approvalId, parentCalls } = event as Partial<
    Record<"messageId" | "approvalId" | "parentCalls", unknown>
  >;
  const names = { message_id: messageId, approval_id: approvalId, parent_calls: parentCalls };
  return JSON.stringify({ ...event, ...place, ...names });
};

/** What the tenant hears of, or will. */
export const countFacts = (sql: SqlPort): number => sql.all(`SELECT 1 FROM events WHERE type IN (${factTypes})`).length;

export interface Fixture {
  readonly sql: SqlPort;
  readonly context: StoreContext;
  /** Moves the clock on. */
  readonly wait: (ms: number) => void;
  readonly accept: (id: string, change?: Partial<TurnAcceptance>) => Result<AcceptedTurn, AcceptRefusal>;
  readonly start: (id: string) => boolean;
  /** Over `port`, if another is given: the same rows, seen through a fault. */
  readonly journal: (id: string, port?: SqlPort) => TurnJournal;
  readonly seal: (id: string, change?: Partial<Seal>) => boolean;
  /** How often the journals said that they had committed. */
  readonly wakes: () => number;
  /** For when the alarm was set last, if it is set. */
  readonly alarmAt: () => number | undefined;
}

function turnOf(sql: SqlPort, id: string): AcceptedTurn["turn"] {
  const stored = findTurn(sql, id);
  if (stored === undefined) throw new Error(`no turn ${id}`);
  return stored.turn;
}

/** On a database that may be in use already: what a restart would see. Its tenant hears of everything at once, or of nothing. */
export function openFixture(sql: SqlPort, hears = true): Fixture {
  let clock = 1_000_000;
  let wakes = 0;
  let checkpoints = 0;
  let alarm: number | undefined;
  const context: StoreContext = {
    sql,
    conversation,
    now: () => clock,
    // The tenant hears of everything as it is written, so that what is left are the deadlines of turns.
    setAlarm: (at) => {
      alarm = at;
      const outgoing = hears && hasOutgoing(sql) ? takeOutgoing(context) : undefined;
      if (outgoing === undefined) return;
      if (outgoing.facts.length > 0) confirmFacts(sql, outgoing);
      for (const { reservation } of outgoing.charges) dropCharge(sql, reservation);
      takeOutgoing(context);
    },
    audit: createAuditHasher({ tenant: "acme", conversation }),
    encodeEvent,
  };
  migrate(sql, clock);
  createConversation(sql, { tenant: "acme", conversation, agent: "ada", createdAt: clock });
  openScope(sql, conversation, () => new Uint8Array(16).fill(9));
  const base = { agent: "ada", entry: "http", channel: "http", subject: "sub", narrowing: {} } as const;
  const rest = { onBusy: "queue", maxQueued: 16, fingerprint: "f" } as const;
  const started = { type: "turn_started", input: "hello", entry: "http" } as const;
  return {
    sql,
    context,
    wait: (ms) => {
      clock += ms;
    },
    accept: (id, change = {}) => {
      const input = [{ type: "text", text: `hello ${id}` }] as const;
      return acceptTurn(context, { ...base, ...rest, id, input, summary: "hello", ...change });
    },
    start: (id) => startTurn({ ...context, turn: turnOf(sql, id) }, makeEvent(id, started)),
    journal: (id, port = sql) => {
      const journal = createTurnJournal({
        ...context,
        sql: port,
        turn: turnOf(sql, id),
        scopeId: conversation,
        maxContextBytes: 4 * 1024 * 1024,
        sync: () => Promise.resolve(),
        onCommitted: () => {
          wakes += 1;
        },
      });
      journal.follow(() => {
        checkpoints += 1;
        return { n: checkpoints, body: { at: `checkpoint ${checkpoints}` } };
      });
      return journal;
    },
    seal: (id, change = {}) => sealInterrupted({ ...context, turn: turnOf(sql, id) }, { ...seal, ...change }),
    wakes: () => wakes,
    alarmAt: () => alarm,
  };
}

export function signNext(journal: TurnJournal, turn: string, callId: string): SignedReceipt {
  const head = headAfter(journal.lastReceipt());
  const ids = { kid: "k1", tenant: "acme", conversation, turn, call: callId, tool: "weather" };
  const digests = { tool_def: "d", args: "a", result: "r", result_chars: 1, shown: "s", at: 1000 };
  return { body: { v: 1, ...ids, ...digests, ...head }, token: `zc-receipt-1000-${head.seq}-${callId}` };
}

export function propose(journal: TurnJournal, turn: string, plan: { step: number; calls: readonly ModelCall[] }): void {
  journal.openStep({ step: plan.step, attempt: 1 });
  journal.commitResponse({
    step: plan.step,
    message: assistant(turn, `text ${plan.step}`, plan.calls),
    finishReason: "tool_calls",
    calls: plan.calls,
    events: [makeEvent(turn, { type: "usage", finishReason: "tool_calls", ...usage })],
  });
}

export function begin(journal: TurnJournal, call: ModelCall): boolean {
  const turn = turnOfCall(call);
  const { callId, tool, origin, index, args = {} } = call;
  const body = { type: "tool_call", callId, tool, toolOrigin: "builtin", arguments: args, origin, index } as const;
  return journal.startCall({ call, definitionHash: "hash", args, argsDigest: "digest", event: makeEvent(turn, body) });
}

export const resultEvent = (turn: string, { callId, tool, origin }: ModelCall, outcome: CallOutcome): TurnEvent => {
  const { shown: output, receipt, ...rest } = outcome;
  const signed = receipt === undefined ? {} : { receipt: receipt.token };
  return makeEvent(turn, { type: "tool_result", callId, tool, origin, output, ...rest, ...signed });
};

export function settle(journal: TurnJournal, call: ModelCall, raw = "sunny"): CallOutcome | undefined {
  const turn = turnOfCall(call);
  const outcome = makeOutcome(raw, signNext(journal, turn, call.callId));
  const result = { bytes: encodeUtf8(raw), complete: true, chars: Array.from(raw).length, digest: "raw" };
  const written = journal.settleCall({ call, outcome, result, event: resultEvent(turn, call, outcome) });
  return written ? outcome : undefined;
}

export function settleAsUnrun(journal: TurnJournal, call: ModelCall): CallOutcome {
  const turn = turnOfCall(call);
  const told = { shown: "denied by rule", chars: 14, truncated: false, durationMs: 0 };
  const outcome: CallOutcome = { disposition: "denied", success: false, ...told };
  const { callId, tool, origin, index } = call;
  const body = { type: "tool_call", callId, tool, toolOrigin: "builtin", arguments: {}, origin, index } as const;
  const events = [makeEvent(turn, body), resultEvent(turn, call, outcome)] as const;
  journal.settleUnrun([{ call, outcome, events }]);
  return outcome;
}

export function finish(journal: TurnJournal, turn: string, text = "done"): boolean {
  const summary: TurnSummary = { outcome: "completed", text, usage, iterations: 1, receipts: [] };
  const events = [makeEvent(turn, { type: "turn_finished", ...summary })];
  return journal.finish({ state: "completed", summary, entries: [assistant(turn, text)], events });
}

/** A whole turn of one round with so many calls, then an answer. */
export function runToolTurn(fixture: Fixture, id: string, callCount: number): void {
  const calls = Array.from({ length: callCount }, (_, index) => makeCall(id, index));
  fixture.accept(id, { idempotencyKey: `key ${id}`, fingerprint: "print" });
  fixture.start(id);
  const journal = fixture.journal(id);
  propose(journal, id, { step: 1, calls });
  const outcomes = calls.map((call) => {
    begin(journal, call);
    return settle(journal, call) ?? makeOutcome("was settled");
  });
  const results = calls.map((call, slot) => toolEntry(id, call, outcomes[slot] ?? makeOutcome("")));
  journal.appendRound({ step: 1, entries: [assistant(id, "text 1", calls), ...results] });
  propose(journal, id, { step: 2, calls: [] });
  finish(journal, id);
}

const tables = [
  "meta",
  "turns",
  "frames",
  "steps",
  "messages",
  "calls",
  "approvals",
  "allowlist",
  "activated",
  "memories",
  "steering",
  "results",
  "overflow",
  "scopes",
  "receipts",
  "audit",
  "events",
  "idem",
  "deadlines",
  "charges",
];

export const readTables = (sql: SqlPort): ReadonlyMap<string, readonly SqlRow[]> =>
  new Map(tables.map((table) => [table, sql.all(`SELECT * FROM ${table}`)]));
