/** The queue and the runner over real rows: one turn at a time, bugs that end a turn and nothing else. */
import { createBoard } from "../support/progress-board.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { DatabaseSync } from "node:sqlite";
import { createRedactor } from "../../src/observe/redact.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ConversationParts } from "../../durable-objects/conversation-parts.ts";
import { EventFanout } from "../../durable-objects/event-fanout.ts";
import { McpServers } from "../../durable-objects/mcp-servers.ts";
import { Outbox } from "../../durable-objects/outbox.ts";
import { TurnQueue } from "../../durable-objects/turn-queue.ts";
import { startTurn } from "../../durable-objects/turn-verbs.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { ModelEvent } from "../../src/contracts/model.ts";
import { createConversation } from "../../src/storage/conversation-store.ts";
import { readEvents } from "../../src/storage/event-store.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import type { StoreContext } from "../../src/storage/store-context.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";
import { eventsOf, keys } from "../support/core-fixture.ts";
import { createNodeSqlPort } from "../support/node-sql-port.ts";
import { calls, createScriptedProvider, says, text } from "../support/scripted-provider.ts";
import { expectValidHistory } from "../support/storage-checker.ts";
import { createTestTenant } from "../support/test-tenant.ts";

const owner = { tenant: "dev", conversation: "conversation-of-queue" };
const principal = { tenant: "dev", subject: "key:dev", channel: "http", scopes: [] };
const provider = () => createScriptedProvider();
type Provider = ReturnType<typeof provider>;

const itself = defineTool({
  name: "it",
  description: "It.",
  input: { type: "object" },
  execute: (args) => JSON.stringify(args),
});

interface Room {
  readonly sql: SqlPort;
  readonly queue: TurnQueue;
  readonly provider: Provider;
  readonly post: (input: string) => string;
  /** Resolves when nothing is kept awake any more; what was thrown, if anything. */
  readonly rest: () => Promise<readonly unknown[]>;
  readonly events: () => readonly WireTurnEvent[];
}

function openRoom(durable: () => Promise<void> = () => Promise.resolve()): Room {
  const sql = createNodeSqlPort(new DatabaseSync(":memory:"));
  migrate(sql, 0);
  createConversation(sql, { ...owner, agent: "ada", createdAt: 0 });
  const scripted = provider();
  const working: Promise<unknown>[] = [];
  const store: StoreContext = {
    sql,
    conversation: owner.conversation,
    encodeEvent: encodeTurnEvent,
    audit: createAuditHasher(owner),
    now: () => Date.now(),
    setAlarm: () => undefined,
  };
  const tenant = createTestTenant();
  const platform = {
    durable,
    keepAwake: (work: Promise<void>) => void working.push(work.catch((error: unknown) => error)),
  };
  const outbox = new Outbox({ store, tenant, log: () => undefined, ...platform });
  const deployment = deploymentWith(scripted);
  const mcp = new McpServers(deployment, sql);
  const fanout = new EventFanout();
  const progress = createBoard(fanout, owner.conversation);
  const own = { owner, deployment, store, fanout, progress, mcp, outbox };
  const parts: ConversationParts = { ...own, tenant, ...platform };
  const queue = new TurnQueue(parts);
  return {
    sql,
    queue,
    provider: scripted,
    post: (input) => {
      const request = { input: [{ type: "text" as const, text: input }], narrowing: {} };
      const caller = { principal, conversation: owner.conversation, requestId: "r" };
      const accepted = startTurn(parts, caller, { request, fingerprint: "f", defaultAgent: "ada" });
      if (!accepted.ok) throw new Error(accepted.failure.slug);
      return accepted.value.turn.id;
    },
    rest: async () => {
      const thrown: unknown[] = [];
      for (let at = 0; at < working.length; at += 1) thrown.push(await working[at]);
      return thrown.filter((value) => value !== undefined);
    },
    events: () => readEvents(sql, { after: 0, limit: 500 }).map(({ body }): WireTurnEvent => JSON.parse(body)),
  };
}

function deploymentWith(scripted: Provider): ConversationParts["deployment"] {
  const reading = readConfig(
    {
      agents: { ada: { model_provider: "scripted" } },
      providers: { scripted: { kind: "embedded" } },
      risk_profiles: { default: { level: "full" } },
      tools: [itself],
    },
    { env: "dev", boundSecrets: new Set(), parseUrl: (url) => new URL(url) },
  );
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  const egress = { ...reading.config.egress, production: false };
  const providers = new Map([["scripted", scripted]]);
  const redactor = createRedactor({ secrets: [] });
  const { config } = reading;
  return {
    config,
    providers,
    tools: [itself],
    keys,
    channels: new Set(["http"]),
    egress,
    redactor,
    secrets: new Map(),
  };
}

const turnsOf = (events: readonly WireTurnEvent[]): readonly string[] =>
  events.map(({ turn }) => turn).filter((turn, at, all) => turn !== all[at - 1]);

afterEach(() => vi.restoreAllMocks());

describe("the queue", () => {
  test("[G12][HC12][LC28] turns run one at a time, in the order in which they were accepted", async () => {
    const room = openRoom();
    room.provider.script(calls({ name: "it" }), says("one"), says("two"), says("three"));
    room.post("1");
    room.queue.kick();
    room.post("2");
    room.post("3");
    room.queue.kick();
    await room.rest();
    const started = room.events().filter(({ type }) => type !== "turn_accepted");
    expect(turnsOf(started)).toEqual(["trn_1", "trn_2", "trn_3"]);
    expect(eventsOf({ events: started }, "turn_finished").map((event) => event.text)).toEqual(["one", "two", "three"]);
  });

  test("[G12] a queued turn is no part of the history of the one before it", async () => {
    const room = openRoom();
    room.provider.script(says("one"), says("two"));
    room.post("first");
    room.post("second");
    room.queue.kick();
    await room.rest();
    expect(room.provider.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  });

  test("[G12] behind a turn that cannot end, the next one waits; it is not tried again and again", async () => {
    const room = openRoom();
    room.post("first");
    room.post("second");
    room.sql.run("UPDATE turns SET state = 'running' WHERE n = 1");
    room.queue.kick();
    expect(await room.rest()).toEqual([]);
    expect(room.provider.requests).toEqual([]);
  });

  test("[DU10][CK17] what was running when its object went away goes on at the next start, then the queue does", async () => {
    const room = openRoom();
    room.provider.script(says("one"), says("two"));
    room.post("first");
    room.post("second");
    room.sql.run("UPDATE turns SET state = 'running' WHERE n = 1");
    room.queue.boot();
    await room.rest();
    expect(eventsOf({ events: room.events() }, "turn_recovered")).toMatchObject([{ turn: "trn_1", calls: [] }]);
    expect(eventsOf({ events: room.events() }, "turn_finished")).toMatchObject([
      { turn: "trn_1", outcome: "completed", text: "one" },
      { turn: "trn_2", outcome: "completed", text: "two" },
    ]);
  });
});

describe("a bug", () => {
  test("[LC31] while one call runs and one waits: real, unknown, not run; the round is kept and the next turn runs", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    let fences = 0;
    const room = openRoom(async () => {
      fences += 1;
      if (fences === 2) throw new Error("a bug");
    });
    const batch = calls(...[1, 2, 3].map((n) => ({ name: "it", args: { n } })));
    room.provider.script([text("Let me see."), ...batch], says("two"));
    room.post("first");
    room.post("second");
    room.queue.kick();
    expect(await room.rest()).toEqual([]);
    const first = room.events().filter(({ turn }) => turn === "trn_1");
    const results = eventsOf({ events: first }, "tool_result");
    expect(results.map(({ disposition }) => disposition)).toEqual(["succeeded", "outcome_unknown", "interrupted"]);
    expect(eventsOf({ events: first }, "tool_call")).toHaveLength(3);
    expect(eventsOf({ events: first }, "turn_finished")).toMatchObject([
      { outcome: "failed", reason: "internal", text: "Let me see.", receipts: [{ call_id: "call_trn_1_1" }] },
    ]);
    const history = readHistory(room.sql, { turn: 2, frame: "", maxBytes: 1e9 });
    expectValidHistory(history);
    expect(history.filter(({ kind }) => kind === "tool")).toHaveLength(3);
    expect(room.events().at(-1)).toMatchObject({ type: "turn_finished", turn: "trn_2", outcome: "completed" });
  });

  test("[LC31][PV10] in mid-stream: what was shown stays, noted as cut, and is what the turn ends with", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const room = openRoom();
    async function* broken(): AsyncGenerator<ModelEvent> {
      yield text("I was ");
      yield text("about to");
      throw new Error("a bug");
    }
    room.provider.script(broken);
    room.post("first");
    room.queue.kick();
    await room.rest();
    expect(room.events().at(-1)).toMatchObject({ outcome: "failed", reason: "internal", text: "I was about to" });
    expect(readHistory(room.sql, { turn: 1, frame: "", maxBytes: 1e9 }).map(({ kind }) => kind)).toEqual([
      "user",
      "assistant",
      "note",
    ]);
  });

  test.each([
    ["once", 1, ["one", "two"]],
    ["each time", 2, []],
  ])("[LC31][G12] a run that fails to start %s is logged, and the next is tried, but not for ever", async (...row) => {
    const [how, failures, texts] = row;
    const room = openRoom();
    room.sql.run(
      "CREATE TRIGGER full BEFORE UPDATE ON turns WHEN NEW.state = 'running' BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const log = vi.spyOn(console, "error").mockImplementation(() => {
      if (how === "once") room.sql.run("DROP TRIGGER full");
    });
    room.provider.script(says("one"), says("two"));
    room.post("first");
    room.post("second");
    room.queue.kick();
    expect(await room.rest()).toEqual([]);
    expect(log.mock.calls.filter(([line]) => String(line).includes("turn_run_failed"))).toHaveLength(failures);
    expect(eventsOf({ events: room.events() }, "turn_finished").map((event) => event.text)).toEqual(texts);
  });
});
