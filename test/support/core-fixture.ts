/** Conversations whose turns run through the real loop, storage, registry, receipts; the model is scripted, the clock stands still. */
import { DatabaseSync } from "node:sqlite";
import { createEventEncoder } from "../../durable-objects/encode-event.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { ConfigFile } from "../../src/contracts/config.ts";
import type { HistoryEntry } from "../../src/contracts/message.ts";
import type { ModelCapabilities } from "../../src/contracts/model.ts";
import type { SystemPorts } from "../../src/contracts/ports.ts";
import type { ReceiptScope } from "../../src/contracts/receipt.ts";
import type { JsonSchema } from "../../src/contracts/json.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import type { TurnNarrowing, TurnRecord, TurnSummary } from "../../src/contracts/turn.ts";
import type { ModelPrice } from "../../src/core/execution/model-binding.ts";
import {
  resolveAgentExecution,
  type ResolvedAgentExecution,
} from "../../src/core/execution/resolved-agent-execution.ts";
import { splitModelName } from "../../src/core/execution/model-binding.ts";
import { finishTurn } from "../../src/core/turn/finish-turn.ts";
import { runDelegate } from "../../src/core/turn/delegate.ts";
import { openTurn } from "../../src/core/turn/open-frame.ts";
import { observeAgent } from "../../src/core/turn/observe-turn.ts";
import { runToolLoop } from "../../src/core/turn/tool-loop.ts";
import type { TurnIdentity } from "../../src/core/turn/turn-context.ts";
import { createAbsentProvider } from "../../src/providers/absent-provider.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { createDeltaRedactor } from "../../src/observe/redact-deltas.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { digestBytes } from "../../src/receipts/digest.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { signReceipt } from "../../src/receipts/sign.ts";
import { judgeBy } from "../../src/receipts/verify.ts";
import { createConversation } from "../../src/storage/conversation-store.ts";
import { readEvents } from "../../src/storage/event-store.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { openScope } from "../../src/storage/receipt-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import type { EncodeEvent, StoreContext } from "../../src/storage/store-context.ts";
import { acceptTurn } from "../../src/storage/transactions/accept-turn.ts";
import { placeEvent } from "../../src/storage/transactions/place-event.ts";
import { startTurn } from "../../src/storage/transactions/start-turn.ts";
import { createTurnJournal } from "../../src/storage/turn-journal.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { builtinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { assembleTools } from "../../src/tools/registry.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";
import { createTestContext } from "../tools/tool-context.ts";
import { createNodeSqlPort } from "./node-sql-port.ts";
import { createScriptedProvider, type ScriptedProvider, type ScriptedResponse } from "./scripted-provider.ts";
import { createTestClock, type TestClock } from "./test-clock.ts";

type Profiles<Key extends "agents" | "risk_profiles" | "runtime_profiles"> = NonNullable<ConfigFile[Key]>[string];

export interface CoreSetup {
  readonly tools?: readonly Tool[];
  readonly agent?: Partial<Profiles<"agents">>;
  readonly risk?: Profiles<"risk_profiles">;
  readonly runtime?: Profiles<"runtime_profiles">;
  readonly mcp?: NonNullable<ConfigFile["mcp"]>;
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Of the model; 1 dollar in and 10 out by default. */
  readonly price?: ModelPrice;
  /** Hooks, an observer, a meter, another registry: what takes the place of the fixture's own. */
  readonly execution?: Partial<Pick<ResolvedAgentExecution, "hooks" | "meter" | "observe" | "progress" | "registry">>;
  /** With any, events are redacted as the deployment redacts them; without, they stay as they are. */
  readonly secrets?: readonly string[];
}
export interface TurnSetup {
  readonly input?: string;
  readonly narrowing?: TurnNarrowing;
  readonly cancel?: AbortSignal;
  readonly identity?: Partial<Pick<TurnIdentity, "channel" | "replyTarget" | "interactive">>;
  readonly hidden?: readonly string[];
  /** Resolves when what was written is durable; at once by default. */
  readonly sync?: () => Promise<void>;
}
export interface LogLine {
  readonly level: string;
  readonly code: string;
  readonly fields: unknown;
}

/** What a turn left behind. */
export interface RanTurn {
  readonly id: string;
  readonly events: readonly WireTurnEvent[];
  readonly history: readonly HistoryEntry[];
  readonly summary: TurnSummary;
  readonly execution: ResolvedAgentExecution;
}
export interface CoreConversation {
  readonly sql: SqlPort;
  readonly clock: TestClock;
  readonly log: readonly LogLine[];
  readonly provider: ScriptedProvider;
  readonly scope: ReceiptScope;
  /** Runs one turn to its end; what the loop throws is thrown on. */
  run(responses: readonly ScriptedResponse[], turn?: TurnSetup): Promise<RanTurn>;
}

const owner = { tenant: "dev", conversation: "conversation-of-core" };
export const keys = createScopeKeys({ active: "test", masters: new Map([["test", new Uint8Array(32).fill(7)]]) });

export function openConversation(setup: CoreSetup = {}): CoreConversation {
  const sql = createNodeSqlPort(new DatabaseSync(":memory:"));
  const clock = createTestClock();
  const log: LogLine[] = [];
  const provider = createScriptedProvider(setup.capabilities);
  migrate(sql, clock.now());
  createConversation(sql, { ...owner, agent: "ada", createdAt: clock.now() });
  const salt = openScope(sql, owner.conversation, () => new Uint8Array(16).fill(9));
  const scope: ReceiptScope = { ...owner, scopeId: owner.conversation, salt };
  const encodeEvent = encoderOf(setup);
  const audit = createAuditHasher(owner);
  const at = { sql, conversation: owner.conversation, now: clock.now };
  const store: StoreContext = { ...at, encodeEvent, audit, setAlarm: () => undefined };
  const room: Room = { setup, store, scope, clock, provider, ports: portsOf(clock, log) };
  let turns = 0;
  return {
    sql,
    clock,
    log,
    provider,
    scope,
    run: async (responses, turn = {}) => {
      provider.script(...responses);
      turns += 1;
      return await runTurn(room, `trn_${turns}`, turn);
    },
  };
}

/** One turn in a conversation of its own. */
export async function runOnce(
  responses: readonly ScriptedResponse[],
  setup: CoreSetup & TurnSetup = {},
): Promise<RanTurn & { readonly conversation: CoreConversation }> {
  const conversation = openConversation(setup);
  return { ...(await conversation.run(responses, setup)), conversation };
}

interface Room {
  readonly setup: CoreSetup;
  readonly store: StoreContext;
  readonly scope: ReceiptScope;
  readonly clock: TestClock;
  readonly provider: ScriptedProvider;
  readonly ports: SystemPorts;
}

function portsOf(clock: TestClock, log: LogLine[]): SystemPorts {
  return {
    ...clock,
    uuid: () => crypto.randomUUID(),
    digest: (bytes) => (bytes.length > 64 ? Promise.resolve(digestBytes(bytes)) : digestBytes(bytes)),
    createCancelScope: () => {
      const controller = new AbortController();
      return { signal: controller.signal, cancel: () => controller.abort() };
    },
    log: (level, code, fields) => log.push({ level, code, fields }),
  };
}

async function runTurn({ setup, store, scope, provider, ports }: Room, id: string, turn: TurnSetup): Promise<RanTurn> {
  const { sql } = store;
  const { input = "hello", narrowing = {} } = turn;
  const record = acceptAndStart(store, { id, input, narrowing });
  const journal = createTurnJournal({
    ...store,
    turn: record,
    scopeId: scope.scopeId,
    maxContextBytes: 4 * 1024 * 1024,
    sync: turn.sync ?? (() => Promise.resolve()),
    onCommitted: () => undefined,
  });
  const execution = executionOf({ setup, provider, ports, narrowing, scope });
  const loop = openTurn({
    runDelegate,
    execution,
    identity: { ...owner, turn: id, channel: "http", subject: "key:dev", interactive: true, ...turn.identity },
    hidden: new Set(turn.hidden),
    journal,
    cancel: turn.cancel ?? new AbortController().signal,
  });
  await observeAgent(loop, async () => {
    const outcome = await runToolLoop(loop);
    if (outcome.kind === "suspended") throw new Error("the turn waits for somebody");
    finishTurn(loop, outcome);
    return outcome.kind;
  });
  const summary = findTurn(sql, id)?.summary;
  if (summary === undefined) throw new Error(`turn ${id} has no summary`);
  const history = readHistory(sql, { turn: record.n, frame: "", maxBytes: 1e9 });
  return { id, events: readLogOf(sql, id), history, summary, execution };
}

function acceptAndStart(
  store: StoreContext,
  { id, input, narrowing }: { readonly id: string; readonly input: string; readonly narrowing: TurnNarrowing },
): TurnRecord {
  const request = { id, agent: "ada", entry: "http", channel: "http", subject: "key:dev", narrowing } as const;
  const accepted = acceptTurn(store, {
    ...request,
    input: [{ type: "text", text: input }],
    onBusy: "queue",
    maxQueued: 16,
    summary: input,
    fingerprint: "f",
  });
  if (!accepted.ok) throw new Error(accepted.failure);
  const { turn } = accepted.value;
  const started = placeEvent(turn, { type: "turn_started", input, entry: "http" });
  if (!startTurn({ ...store, turn }, started)) throw new Error("not started");
  return turn;
}

interface ExecutionSetup {
  readonly setup: CoreSetup;
  readonly provider: ScriptedProvider;
  readonly ports: SystemPorts;
  readonly narrowing: TurnNarrowing;
  readonly scope: ReceiptScope;
}

const usualPrice = { input: 1, cachedInput: 1, output: 10 };

const asItStands = (schema: JsonSchema): JsonSchema => schema;

/** As the deployment puts it together: profiles with the configuration's own defaults, tools by the one registry. */
function executionOf({ setup, provider, ports, narrowing, scope }: ExecutionSetup): ResolvedAgentExecution {
  const { agent, risk, runtime, mcp } = profilesOf(setup);
  const { log, now } = ports;
  return resolveAgentExecution({
    hooks: [],
    redactor: redactorOf(setup),
    agent,
    risk,
    runtime,
    narrowing,
    model: { provider, model: provider.defaultModel, price: setup.price ?? usualPrice, cleanSchema: asItStands },
    bindModel: (name) => {
      const named = splitModelName(name);
      const known = named.provider === provider.name ? provider : createAbsentProvider(named.provider);
      return { provider: known, model: named.model, price: setup.price ?? usualPrice, cleanSchema: asItStands };
    },
    registry: assembleTools({
      agent,
      risk,
      runtime,
      builtins: builtinTools,
      configured: setup.tools ?? [],
      bundles: new Map(),
      mcp,
      narrowing,
    }),
    approvers: { exists: (channel) => channel === "http" },
    maxActivatedTools: mcp.maxActivatedTools,
    delegates: nobody,
    progress: { show: () => undefined, clear: () => undefined },
    createToolContext: ({ callId, progress, signal, idempotencyKey, searchable, memory, models }) =>
      createTestContext({
        callId,
        progress,
        signal,
        log,
        now,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(searchable === undefined ? {} : { searchable }),
        ...(memory === undefined ? {} : { memory }),
        ...(models === undefined ? {} : { models }),
      }),
    deltaFlushMs: 50,
    ports,
    ...(agent.toolReceipts.enabled
      ? { signReceipt: (body) => signReceipt(keys, scope, body), isGenuine: judgeBy(keys, scope) }
      : {}),
    ...setup.execution,
  });
}

const noSuch = (): never => {
  throw new Error("nobody can be delegated to here");
};
const nobody: ResolvedAgentExecution["delegates"] = { reachable: [], tool: noSuch, resolve: noSuch };

const asItIs: ResolvedAgentExecution["redactor"] = {
  text: (text) => text,
  value: (value) => value,
  deltas: () => ({ push: (text) => text, end: () => "" }),
};

function redactorOf({ secrets }: CoreSetup): ResolvedAgentExecution["redactor"] {
  if (secrets === undefined) return asItIs;
  const redactor = createRedactor({ secrets });
  return { ...redactor, deltas: () => createDeltaRedactor(redactor) };
}

function encoderOf(setup: CoreSetup): EncodeEvent {
  const { secrets } = setup;
  if (secrets === undefined) return encodeTurnEvent;
  return createEventEncoder({ config: readSetup(setup), redactor: createRedactor({ secrets }) });
}

function profilesOf(setup: CoreSetup) {
  const { agents, riskProfiles, runtimeProfiles, mcp } = readSetup(setup);
  const found = {
    agent: agents.get("ada"),
    risk: riskProfiles.get("default"),
    runtime: runtimeProfiles.get("default"),
  };
  if (found.agent === undefined || found.risk === undefined || found.runtime === undefined)
    throw new Error("no profile");
  return { agent: found.agent, risk: found.risk, runtime: found.runtime, mcp };
}

function readSetup({ agent = {}, risk = {}, runtime = {}, mcp = {} }: CoreSetup) {
  const file: ConfigFile = {
    agents: { ada: { model_provider: "scripted", ...agent } },
    risk_profiles: { default: risk },
    runtime_profiles: { default: runtime },
    // Of the two, only the first can be had.
    providers: { scripted: { kind: "embedded" }, gone: { kind: "embedded" } },
    mcp,
  };
  const reading = readConfig(file, { env: "dev", boundSecrets: new Set(), parseUrl: (url) => new URL(url) });
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.config;
}

function readLogOf(sql: SqlPort, turn: string): readonly WireTurnEvent[] {
  const events: WireTurnEvent[] = [];
  for (;;) {
    const page = readEvents(sql, { turn, after: events.at(-1)?.seq ?? 0, limit: 500 });
    if (page.length === 0) return events;
    events.push(...page.map(({ body }): WireTurnEvent => JSON.parse(body)));
  }
}

type EventOf<Type extends WireTurnEvent["type"]> = Extract<WireTurnEvent, { type: Type }>;

export const eventsOf = <Type extends WireTurnEvent["type"]>(
  { events }: Pick<RanTurn, "events">,
  type: Type,
): readonly EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type);

/** Dispositions in the order of the results' events. */
export const dispositionsOf = (turn: Pick<RanTurn, "events">) =>
  eventsOf(turn, "tool_result").map(({ disposition }) => disposition);

/** What the model is told of each call, in history's order. */
export const resultsOf = ({ history }: Pick<RanTurn, "history">): readonly string[] =>
  history.flatMap((entry) => (entry.kind === "tool" ? [entry.text] : []));
