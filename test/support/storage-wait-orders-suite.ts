/** Storage suite, waiting turns in any order: decisions, deadlines, cancels, results and steering race, and the rows tell one story. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelCall } from "../../src/contracts/call.ts";
import type { TurnJournal } from "../../src/contracts/turn-journal.ts";
import { listOpenApprovals } from "../../src/storage/approval-store.ts";
import { listOfferedCalls } from "../../src/storage/open-requests.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { addSteering } from "../../src/storage/transactions/add-steering.ts";
import { answerClientCalls } from "../../src/storage/transactions/answer-client-calls.ts";
import { askCancel } from "../../src/storage/transactions/ask-cancel.ts";
import { expireClientCall } from "../../src/storage/transactions/expire-client-call.ts";
import { lapseApproval } from "../../src/storage/transactions/lapse-approval.ts";
import { resumeForCancel } from "../../src/storage/transactions/resume-for-cancel.ts";
import { findNextQueued, findTurn } from "../../src/storage/turn-store.ts";
import { findCall } from "../../src/storage/call-store.ts";
import { expectDeadlines, expectSound, readLog } from "./storage-checker.ts";
import {
  assistant,
  finish,
  type Fixture,
  makeCall,
  makeEvent,
  openFixture,
  propose,
  readTables,
  settle,
  settleAsUnrun,
  toolEntry,
  type WithDatabase,
} from "./storage-fixture.ts";
import {
  answer,
  approvalIdOf,
  decide,
  endAs,
  letGo,
  prepare,
  prepareAsked,
  request,
  requestedEvent,
  start,
} from "./storage-wait-fixture.ts";

/** Milliseconds: many databases are made and read whole. */
const patience = 60_000;
/** From request to expiry. */
const life = 50;

const opNames = [
  "propose",
  "suspend",
  "approve",
  "deny",
  "always",
  "lapse",
  "wait",
  "start",
  "settle",
  "unrun",
  "offer",
  "answer",
  "time out",
  "steer",
  "take",
  "cancel",
  "resume",
  "round",
  "finish",
] as const;
type Op = readonly [name: (typeof opNames)[number], slot: number];

/** Spoken to, asked about, approved, resumed: played first, so that every run meets these events, however few orders it tries. */
const plainWait: Op[] = [
  ["steer", 0],
  ["take", 0],
  ["propose", 0],
  ["suspend", 1],
  ["approve", 0],
];

interface Play {
  readonly fixture: Fixture;
  readonly journal: TurnJournal;
  readonly steered: string[];
  step: number;
  batch: readonly ModelCall[];
}

const isOpen = (sql: SqlPort, { callId }: ModelCall): boolean => findCall(sql, callId)?.state !== "settled";

function playSuspend({ fixture, journal, step, batch }: Play, slot: number): void {
  const expiresAt = fixture.context.now() + life;
  const asked = batch.filter(({ index }) => (index + slot) % 3 !== 0);
  const prepared = batch.map((call) => (asked.includes(call) ? prepareAsked(call) : prepare(call)));
  const approvals = asked.map((call) => request(call, { expiresAt, alwaysAsks: slot === 9 }));
  journal.askApprovals({ step, settled: [], prepared, approvals, events: [] });
  letGo(journal);
}

function playOffer({ fixture, journal, step, batch }: Play): void {
  const { sql } = fixture;
  const expiresAt = fixture.context.now() + life;
  const open = batch.filter((call) => isOpen(sql, call));
  const calls = open.map((call) => ({ prepared: prepare(call), expiresAt }));
  const events = open.map(({ callId, tool, origin, index }) =>
    makeEvent("t", { type: "tool_call", callId, tool, toolOrigin: "client", arguments: {}, origin, index }),
  );
  journal.offerCalls({ step, calls, events });
  letGo(journal);
}

function playRound({ fixture, journal, step, batch }: Play): void {
  const results = batch.map((call) => {
    const outcome = findCall(fixture.sql, call.callId)?.outcome;
    if (outcome === undefined) throw new Error("open call");
    return toolEntry("t", call, outcome);
  });
  journal.appendRound({ step, entries: [assistant("t", "text", batch), ...results] });
}

function playOp(play: Play, [name, slot]: Op): unknown {
  const { fixture, journal, batch, steered } = play;
  const { context, sql } = fixture;
  const call = batch[slot % Math.max(batch.length, 1)] ?? makeCall("t", 99);
  switch (name) {
    case "propose": {
      const count = 1 + (slot % 3);
      const calls = Array.from({ length: count }, (_, index) => ({ ...makeCall("t", play.step * 10 + index), index }));
      propose(journal, "t", { step: play.step + 1, calls });
      return Object.assign(play, { step: play.step + 1, batch: calls });
    }
    case "suspend":
      return playSuspend(play, slot);
    case "approve":
    case "deny":
    case "always":
      return decide(fixture, call, { decision: name });
    case "lapse": {
      const as = slot % 2 === 0 ? "expired" : "void";
      const endCall = (_: unknown, stored: { call: ModelCall }) => endAs(stored.call, "expired");
      return lapseApproval(context, { approvalId: approvalIdOf(call), as, endCall, toEvent: requestedEvent });
    }
    case "wait":
      return fixture.wait(slot * 10);
    case "start":
      return start(journal, call);
    case "settle":
      return settle(journal, call);
    case "unrun":
      return settleAsUnrun(journal, call);
    case "offer":
      return playOffer(play);
    case "answer":
      return answerClientCalls(context, "t", [answer(call)]);
    case "time out":
      return expireClientCall(context, answer(call, "late", "timed_out"));
    case "steer": {
      const text = `steering ${steered.length}`;
      const from = { subject: "ann", channel: "http", summary: text, maxWaiting: 4 };
      const added = addSteering(context, { turn: "t", input: [{ type: "text", text }], ...from });
      return added.ok && steered.push(text);
    }
    case "take":
      return journal.takeSteering((text) => makeEvent("t", { type: "steering", text }));
    case "cancel":
      return askCancel(context, { turn: "t", reason: slot % 2 === 0 ? "cancel" : "interrupt" });
    case "resume": {
      const turn = findTurn(sql, "t")?.turn;
      return turn && resumeForCancel({ ...context, turn });
    }
    case "round":
      return playRound(play);
    case "finish":
      return finish(journal, "t");
    default:
      return name satisfies never;
  }
}

interface Refused {
  readonly before?: ReturnType<typeof readTables>;
  readonly after?: ReturnType<typeof readTables>;
}

/** What lay in the tables around an operation that threw; nothing when it went through. */
function playRefused(play: Play, op: Op): Refused {
  const { sql } = play.fixture;
  const before = readTables(sql);
  try {
    playOp(play, op);
    return {};
  } catch {
    // Proposing is two transactions, of which the first may stand alone.
    return op[0] === "propose" ? {} : { before, after: readTables(sql) };
  }
}

/** A turn is suspended while somebody outside is waited for, and only then; nothing of its batch runs beside an open approval. */
function expectNobodyForgotten({ fixture: { sql }, batch }: Play): void {
  const found = findTurn(sql, "t");
  const asked = listOpenApprovals(sql).length > 0;
  const suspended = found?.turn.state === "suspended";
  const cancelled = found?.cancelAsked === true;
  expect(asked && cancelled).toBe(false);
  expect(asked || listOfferedCalls(sql).length > 0 || cancelled).toBe(suspended || cancelled);
  const running = batch.map(({ callId }) => findCall(sql, callId)?.state).filter((state) => state === "started");
  expect(asked ? running : []).toEqual([]);
  expectDeadlines(sql);
}

function endAll(fixture: Fixture): void {
  const { sql, context } = fixture;
  const turn = askCancel(context, { turn: "t", reason: "cancel" });
  expect(turn && resumeForCancel({ ...context, turn })).toBe(turn?.state === "suspended");
  fixture.seal("t");
  for (let next = findNextQueued(sql); next !== undefined; next = findNextQueued(sql)) {
    fixture.start(next.turn.id);
    finish(fixture.journal(next.turn.id), next.turn.id);
  }
}

export function describeWaitingOrders(withDatabase: WithDatabase, runs: number): void {
  // Ends are rare, so that most plays get somewhere before.
  const going = opNames.filter((name) => name !== "cancel" && name !== "finish");
  const op = fc.tuple(fc.constantFrom(...opNames, ...going, ...going, ...going), fc.nat(9));
  test(
    "[AP18][G10][HC4][HC8][HC11] in any order a turn waits exactly while it must, each call has one end, each message is used once",
    async () => {
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(op, { maxLength: 60, size: "max" }), (ops) =>
          withDatabase(({ sql }) => {
            const fixture = openFixture(sql);
            fixture.accept("t");
            fixture.start("t");
            const play: Play = { fixture, journal: fixture.journal("t"), steered: [], step: 0, batch: [] };
            for (const step of ops) {
              const { before, after } = playRefused(play, step);
              expect(after).toEqual(before);
              expectNobodyForgotten(play);
            }
            for (const { type } of readLog(sql)) seen.add(type);
            endAll(fixture);
            expectSound(sql);
            const users = readHistory(sql, { turn: 99, frame: "", maxBytes: 1e9 }).flatMap((entry) =>
              entry.kind === "user" ? entry.parts.map((part) => (part.type === "text" ? part.text : "")) : [],
            );
            expect(users.filter((text) => text.startsWith("steering")).toSorted()).toEqual(play.steered.toSorted());
          }),
        ),
        { numRuns: runs, examples: [[plainWait]] },
      );
      for (const type of ["approval_decided", "turn_resumed", "steering"]) expect(seen).toContain(type);
    },
    patience,
  );
}
