/** A conversation object without its platform: real queue, runner, verbs and rows; a scripted model, a clock that stands still. */
import { createBoard } from "./progress-board.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, vi } from "vitest";
import { decide } from "../../durable-objects/approval-verbs.ts";
import { answerCalls } from "../../durable-objects/client-call-verbs.ts";
import type { ConversationParts } from "../../durable-objects/conversation-parts.ts";
import { EventFanout } from "../../durable-objects/event-fanout.ts";
import { McpServers } from "../../durable-objects/mcp-servers.ts";
import { fireDue } from "../../durable-objects/deadlines.ts";
import { Outbox } from "../../durable-objects/outbox.ts";
import { cancel, steer } from "../../durable-objects/steering-verbs.ts";
import type { TenantPort } from "../../durable-objects/tenant-port.ts";
import { TurnQueue } from "../../durable-objects/turn-queue.ts";
import { readTurn, startTurn } from "../../durable-objects/turn-verbs.ts";
import type { DecisionInput } from "../../src/contracts/approval.ts";
import type { Problem } from "../../src/contracts/errors.ts";
import type { JsonObject } from "../../src/contracts/json.ts";
import type { HistoryEntry } from "../../src/contracts/message.ts";
import type { Result } from "../../src/contracts/result.ts";
import type { ToolResult } from "../../src/contracts/tool.ts";
import type { OnBusy, RequestTool, TurnNarrowing } from "../../src/contracts/turn.ts";
import type { OpenRequests, TurnView } from "../../src/contracts/verbs.ts";
import { createConversation } from "../../src/storage/conversation-store.ts";
import { readEvents } from "../../src/storage/event-store.ts";
import { findNextDeadline } from "../../src/storage/deadline-store.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import type { StoreContext } from "../../src/storage/store-context.ts";
import { findActiveTurn } from "../../src/storage/turn-store.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";
import { createNodeSqlPort } from "./node-sql-port.ts";
import { type RoomSetup, deploymentOf } from "./room-deployment.ts";
import { createTestTenant } from "./test-tenant.ts";
import { createScriptedProvider, type ScriptedProvider, type ScriptedResponse } from "./scripted-provider.ts";

export interface PostedTurn {
  readonly onBusy?: OnBusy;
  readonly narrowing?: TurnNarrowing;
  readonly metadata?: JsonObject;
  /** Of the caller; `http` by default. */
  readonly channel?: string;
  readonly clientTools?: readonly RequestTool[];
}

export interface Decider {
  readonly subject?: string;
  readonly channel?: string;
}

/** A turn as its rows have it now. */
export interface SeenTurn {
  readonly state: TurnView["turn"]["state"];
  readonly reason?: string;
  readonly text?: string;
  readonly events: readonly WireTurnEvent[];
  readonly history: readonly HistoryEntry[];
  readonly open: OpenRequests;
}

export interface SuspensionRoom {
  readonly sql: SqlPort;
  readonly provider: ScriptedProvider;
  /** Accepts a turn, and starts it or does to the one under way what `onBusy` says. Its id, or why not. */
  post(input?: string, how?: PostedTurn): string;
  /** Accepts a turn as an object does that dies before it starts it. */
  accept(input?: string, how?: PostedTurn): string;
  /** Resolves when nothing of the object runs any more. */
  rest(): Promise<void>;
  /** Posts a turn with a script and rests. */
  run(script: readonly ScriptedResponse[], how?: PostedTurn): Promise<SeenTurn>;
  turn(id?: string): SeenTurn;
  /** Id of the turn that is under way, if one is. */
  active(): string | undefined;
  /** Ids of what a person is asked now, in call order. */
  asked(): readonly string[];
  /** By default the only one asked about. Answers what the verb answers; the turn may run on. */
  decide(decision: DecisionInput, approvalId?: string, by?: Decider): Result<unknown, Problem>;
  answer(results: Readonly<Record<string, ToolResult>>, turn?: string): Promise<Result<unknown, Problem>>;
  steer(text: string, turn?: string): Result<unknown, Problem>;
  cancel(turn?: string): Result<unknown, Problem>;
  /** Time passes; the alarm does not ring by itself. */
  pass(ms: number): void;
  /** Rings the alarm. */
  alarm(): Promise<void>;
  /** Epoch milliseconds for which the object armed its alarm last, if for any. */
  alarmAt(): number | undefined;
  /** The object leaves memory and comes back on the same rows; under another configuration, if one is given. */
  evict(changed?: RoomSetup): void;
}

/** Approves whatever is asked until nothing is; `before` comes before each time. */
export async function approveAll(room: SuspensionRoom, before: () => void = () => undefined): Promise<void> {
  for (let left = 20; room.asked().length > 0 && left > 0; left -= 1) {
    before();
    for (const approval of room.asked()) room.decide({ decision: "approve" }, approval);
    await room.rest();
  }
}

/** For the top of a test file: time passes in `pass` alone, and the object's log is not shown. */
export function useStillClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.UTC(2026, 10, 1) });
    for (const level of ["debug", "info", "warn", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

const owner = { tenant: "dev", conversation: "conversation-that-waits" };
const principal = { tenant: "dev", subject: "key:dev", channel: "http", scopes: [] };
const caller = { principal, conversation: owner.conversation, requestId: "r" };

export function openSuspensionRoom(setup: RoomSetup = {}, tenant: TenantPort = createTestTenant()): SuspensionRoom {
  const sql = createNodeSqlPort(new DatabaseSync(":memory:"));
  migrate(sql, Date.now());
  createConversation(sql, { ...owner, agent: "ada", createdAt: Date.now() });
  const provider = createScriptedProvider();
  const working: Promise<unknown>[] = [];
  let rested = 0;
  let armed: number | undefined;
  const boot = (now: RoomSetup) => {
    const store: StoreContext = {
      sql,
      conversation: owner.conversation,
      encodeEvent: encodeTurnEvent,
      audit: createAuditHasher(owner),
      now: () => Date.now(),
      setAlarm: (at) => (armed = at),
    };
    const platform = { durable: () => Promise.resolve(), keepAwake: (work: Promise<void>) => void working.push(work) };
    const outbox = new Outbox({ store, tenant, log: () => undefined, ...platform });
    const fanout = new EventFanout(() => outbox.kick());
    const deployment = deploymentOf(now, provider);
    const mcp = new McpServers(deployment, sql);
    const progress = createBoard(fanout, owner.conversation);
    const own = { owner, deployment, store, fanout, progress, mcp, outbox };
    const parts: ConversationParts = { ...own, tenant, ...platform };
    return { parts, queue: new TurnQueue(parts) };
  };
  let object = boot(setup);
  const rest = async (): Promise<void> => {
    for (; rested < working.length; rested += 1) await working[rested];
  };
  const asked = () => openRequests(object.parts).approvals.map(({ approvalId }) => approvalId);
  const accept = (input = "hello", how: PostedTurn = {}): string => {
    const { onBusy, narrowing = {}, metadata, channel = principal.channel, clientTools } = how;
    const parts = [{ type: "text" as const, text: input }];
    const request = {
      input: parts,
      narrowing,
      ...(onBusy === undefined ? {} : { onBusy }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(clientTools === undefined ? {} : { clientTools }),
    };
    const from = { ...caller, principal: { ...principal, channel } };
    const accepted = startTurn(object.parts, from, { request, fingerprint: "f", defaultAgent: "ada" });
    return accepted.ok ? accepted.value.turn.id : accepted.failure.slug;
  };
  const post = (input?: string, how?: PostedTurn): string => {
    const id = accept(input, how);
    object.queue.settle();
    return id;
  };
  const turn = (id = "trn_1"): SeenTurn => seenTurn(object.parts, id);
  return {
    sql,
    provider,
    accept,
    post,
    rest,
    turn,
    active: () => findActiveTurn(sql)?.turn.id,
    asked,
    run: async (script, how) => {
      provider.script(...script);
      const id = post("hello", how);
      await rest();
      return turn(id);
    },
    decide: (input, approvalId = onlyOf(asked()), by = {}) => {
      const decider = { ...caller, principal: { ...principal, ...by } };
      return decide({ ...object, caller: decider }, { approvalId, input });
    },
    answer: (results, id = "trn_1") => {
      const posted = Object.entries(results).map(([callId, result]) => ({ callId, result }));
      return answerCalls(object, id, posted);
    },
    steer: (text, id = "trn_1") => steer(object.parts, caller, { turn: id, input: [{ type: "text", text }] }),
    cancel: (id = "trn_1") => cancel(object, id),
    pass: (ms) => void vi.advanceTimersByTime(ms),
    alarm: async () => {
      await fireDue(object);
      armed = findNextDeadline(sql);
    },
    alarmAt: () => armed,
    evict: (changed = setup) => {
      if (sql.all("SELECT id FROM turns WHERE state = 'running'").length > 0) throw new Error("a turn is running");
      object = boot(changed);
      object.queue.boot();
    },
  };
}

function onlyOf(ids: readonly string[]): string {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) throw new Error(`not one approval is open, but ${ids.length}`);
  return id;
}

const nothingOpen: OpenRequests = { approvals: [], clientCalls: [] };

function openRequests(parts: ConversationParts): OpenRequests {
  const active = findActiveTurn(parts.store.sql);
  return (active && readTurn(parts, active.turn.id)?.openRequests) ?? nothingOpen;
}

function seenTurn(parts: ConversationParts, id: string): SeenTurn {
  const { sql } = parts.store;
  const view = readTurn(parts, id);
  if (view === undefined) throw new Error(`no turn ${id}`);
  const { state, reason, n } = view.turn;
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(view.summary === undefined ? {} : { text: view.summary.text }),
    events: readLog(sql, id),
    history: readHistory(sql, { turn: n, frame: "", maxBytes: 1e9 }),
    open: view.openRequests ?? nothingOpen,
  };
}

function readLog(sql: SqlPort, turn: string): readonly WireTurnEvent[] {
  const events: WireTurnEvent[] = [];
  for (;;) {
    const page = readEvents(sql, { turn, after: events.at(-1)?.seq ?? 0, limit: 500 });
    if (page.length === 0) return events;
    events.push(...page.map(({ body }): WireTurnEvent => JSON.parse(body)));
  }
}
