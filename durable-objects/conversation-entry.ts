/** Conversation entry: who may enter this object, and what they find there; nothing else opens a conversation. Rules: SE17, SE19, DU17, DU23, DU43, DU48. */
import type { FinalRecord } from "../src/contracts/audit.ts";
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { CountersignConfig } from "../src/contracts/config.ts";
import type { RequestTool } from "../src/contracts/turn.ts";
import type { Caller, ConversationView, CreateConversation, StartTurn } from "../src/contracts/verbs.ts";
import { conversationObjectName } from "../src/http/object-name.ts";
import type { ProviderFactory } from "../src/providers/provider-ports.ts";
import { providerFactories } from "../src/providers/provider-registry.ts";
import { createAuditHasher } from "../src/receipts/audit-chain.ts";
import { readFinalRecord } from "../src/storage/audit-store.ts";
import { type ConversationRecord, createConversation, readConversation } from "../src/storage/conversation-store.ts";
import { findNextDeadline } from "../src/storage/deadline-store.ts";
import { hasTables, migrate } from "../src/storage/migrations.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { heartbeatMs } from "../src/storage/transactions/heartbeat.ts";
import { notFound } from "../src/wire/problem.ts";
import type { ConversationParts, Owner } from "./conversation-parts.ts";
import { fireDue } from "./deadlines.ts";
import { type Deployment, loadDeployment } from "./deployment.ts";
import { createDataRedactor, createEventEncoder } from "./encode-event.ts";
import { EventFanout } from "./event-fanout.ts";
import { AGAIN_MS, ObjectAlarm } from "./object-alarm.ts";
import { judgeRequestTools } from "./judge-request-tools.ts";
import { McpServers } from "./mcp-servers.ts";
import { ConversationProgress } from "./progress-board.ts";
import { Outbox } from "./outbox.ts";
import { createSqlPort } from "./sql-port.ts";
import { systemPorts } from "./system-ports.ts";
import { createTenantPort, type TenantNamespace, type TenantPort } from "./tenant-port.ts";
import { TurnQueue } from "./turn-queue.ts";
import { resumeMismatch, unknownAgent } from "./turn-verbs.ts";

interface NamedOwner {
  readonly principal: { readonly tenant: string };
  readonly conversation: string;
}

/** What a caller who may use this object finds in it. */
export interface Survey {
  readonly config: CountersignConfig;
  /** Absent while it has no rows. */
  readonly conversation?: Conversation;
}

/** A conversation that has rows, as this instance holds it. */
export interface Conversation {
  readonly record: ConversationRecord;
  readonly parts: ConversationParts;
  readonly queue: TurnQueue;
}

export const viewOf = ({ record }: Conversation): ConversationView => {
  const { conversation: id, agent, metadata, createdAt } = record;
  return { id, agent, createdAt, ...(metadata === undefined ? {} : { metadata }) };
};

export interface EntryHooks {
  readonly providerKinds: ReadonlyMap<string, ProviderFactory>;
  /** `onRollback`: what was done beside the rows of a transaction is to be forgotten with them. */
  readonly openSql: (storage: DurableObjectStorage, onRollback: () => void) => SqlPort;
  /** Milliseconds between two looks at a running turn. */
  readonly heartbeatMs: number;
}

export const entryHooks: EntryHooks = {
  providerKinds: providerFactories,
  openSql: (storage, onRollback) => createSqlPort(storage, undefined, onRollback),
  heartbeatMs,
};

const notConfigured: Problem = { slug: "not-configured", detail: "The configuration of this deployment has faults." };

export class ConversationEntry {
  readonly #ctx: DurableObjectState;
  readonly #sql: SqlPort;
  readonly #deployment: Result<Deployment, unknown>;
  readonly #alarm: ObjectAlarm;
  readonly #heartbeatMs: number;
  readonly #tenants: TenantNamespace;
  #conversation: Conversation | undefined;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env & { readonly TENANTS: TenantNamespace }, hooks: EntryHooks) {
    this.#ctx = ctx;
    this.#heartbeatMs = hooks.heartbeatMs;
    this.#sql = hooks.openSql(ctx.storage, () => this.#alarm.forget());
    this.#tenants = env.TENANTS;
    this.#deployment = loadDeployment(env, hooks.providerKinds);
    this.#alarm = new ObjectAlarm({ storage: ctx.storage, next: () => this.#nextAlarm() });
    if (hasTables(this.#sql)) void ctx.blockConcurrencyWhile(() => this.#boot());
  }

  /** An object without rows and an object of somebody else answer alike. */
  enter(caller: Caller): Result<Conversation, Problem> {
    if (!this.#deployment.ok) return failWith(notConfigured);
    if (!this.#isNamedAfter(caller)) return failWith(notFound);
    const conversation = this.#conversation;
    const owned =
      conversation?.record.tenant === caller.principal.tenant &&
      conversation.record.conversation === caller.conversation;
    return conversation !== undefined && owned ? succeed(conversation) : failWith(notFound);
  }

  /** Absent when the caller may neither use the conversation nor make one here. */
  survey(caller: Caller): Survey | undefined {
    if (!this.#deployment.ok || !this.#isNamedAfter(caller)) return undefined;
    const { config } = this.#deployment.value;
    if (this.#conversation === undefined) return { config };
    const entered = this.enter(caller);
    return entered.ok ? { config, conversation: entered.value } : undefined;
  }

  /** What does not exist yet is made, unless its agent could not answer: a refusal leaves no row. */
  enterOrCreate(caller: Caller, { agent: named, metadata }: CreateConversation): Result<Conversation, Problem> {
    const entered = this.enter(caller);
    if (entered.ok || !this.#deployment.ok || !this.#isNamedAfter(caller) || this.#conversation !== undefined) {
      return entered;
    }
    const { config } = this.#deployment.value;
    const agent = config.agents.get(named ?? config.defaultAgent);
    if (agent === undefined || !agent.enabled) return failWith(unknownAgent);
    const now = Date.now();
    const record: ConversationRecord = {
      tenant: caller.principal.tenant,
      conversation: caller.conversation,
      agent: agent.alias,
      createdAt: now,
      ...(metadata === undefined ? {} : { metadata }),
    };
    migrate(this.#sql, now);
    return succeed(this.#open(createConversation(this.#sql, record), this.#deployment.value));
  }

  /** A post that comes again starts nothing, so it creates nothing either (SS11). */
  enterForTurn(caller: Caller, { request, resumeAfter }: StartTurn): Result<Conversation, Problem> {
    const { agent, clientTools = [] } = request;
    const tools = this.#judgeTools(agent, clientTools);
    if (this.#isNamedAfter(caller) && !tools.ok) return tools;
    if (resumeAfter === undefined) return this.enterOrCreate(caller, agent === undefined ? {} : { agent });
    const existing = this.enter(caller);
    return existing.ok || existing.failure.slug !== "not-found" ? existing : failWith(resumeMismatch);
  }

  /** By the agent that would answer, so that a refused turn makes no conversation. */
  #judgeTools(named: string | undefined, tools: readonly RequestTool[]): Result<void, Problem> {
    if (tools.length === 0 || !this.#deployment.ok) return succeed(undefined);
    const { config } = this.#deployment.value;
    const agent = config.agents.get(named ?? this.#conversation?.record.agent ?? config.defaultAgent);
    return agent === undefined ? failWith(unknownAgent) : judgeRequestTools(this.#deployment.value, agent, tools);
  }

  /** Rows of an instance before this one: their schema is brought up to date, and what was cut off is ended or goes on. */
  async #boot(): Promise<void> {
    migrate(this.#sql, Date.now());
    const record = readConversation(this.#sql);
    if (record !== undefined && this.#deployment.ok) this.#open(record, this.#deployment.value).queue.boot();
    await this.#alarm.restore();
  }

  /** The alarm's work: whatever is due happens, and the next deadline is armed (DU23). */
  async ring(retryCount: number): Promise<void> {
    await this.#alarm.ring(retryCount, async () => {
      if (this.#conversation !== undefined) await fireDue(this.#conversation);
    });
  }

  /** Nothing can be done under a faulty configuration: the next one may be a sound one. */
  #nextAlarm(): number | undefined {
    const next = hasTables(this.#sql) ? findNextDeadline(this.#sql) : undefined;
    return next === undefined || this.#deployment.ok ? next : Math.max(next, Date.now() + AGAIN_MS);
  }

  /**
   * Alarm and rows go; then this instance, with whatever still runs or reads in it (DU46). Nothing goes before its final record is
   * kept elsewhere: until the hash that is given is the head, the answer is the record, and nothing was erased (AU3).
   */
  async erase({ tenant, conversation }: Owner, recorded?: string): Promise<FinalRecord | undefined> {
    if (!this.#isNamedAfter({ principal: { tenant }, conversation })) throw new Error("another conversation was meant");
    if (!hasTables(this.#sql)) return undefined;
    const final = readFinalRecord({ sql: this.#sql, audit: createAuditHasher({ tenant, conversation }) });
    if (recorded !== final.hash) return final;
    this.#conversation = undefined;
    await this.#ctx.storage.deleteAlarm();
    await this.#ctx.storage.deleteAll();
    // After the answer: whoever asked may not take the end of this instance for a failure.
    setTimeout(() => this.#ctx.abort("the conversation was erased"), 0);
    return undefined;
  }

  #open(record: ConversationRecord, deployment: Deployment): Conversation {
    const { tenant, conversation } = record;
    const ctx = this.#ctx;
    const owner = { tenant, conversation };
    const store = {
      sql: this.#sql,
      conversation,
      encodeEvent: createEventEncoder(deployment),
      audit: createAuditHasher(owner),
      now: () => Date.now(),
      setAlarm: (at: number | undefined) => this.#alarm.set(at),
      heartbeatMs: this.#heartbeatMs,
    };
    const platform = {
      durable: () => ctx.storage.sync(),
      keepAwake: (work: Promise<void>) => ctx.waitUntil(work),
    };
    const port = this.tenantOf(owner);
    const outbox = new Outbox({ store, tenant: port, log: systemPorts.log, ...platform });
    const fanout = new EventFanout(() => outbox.kick());
    const progress = new ConversationProgress({
      conversation,
      now: store.now,
      redact: createDataRedactor(deployment),
      wake: () => fanout.wake(),
    });
    const mcp = new McpServers(deployment, this.#sql);
    const own = { owner, deployment, store, fanout, progress, mcp, outbox };
    const parts: ConversationParts = { ...own, tenant: port, ...platform };
    this.#conversation = { record, parts, queue: new TurnQueue(parts) };
    return this.#conversation;
  }

  /** The tenant as a conversation of this owner reaches it. */
  tenantOf(owner: Owner): TenantPort {
    return createTenantPort(this.#tenants, owner);
  }

  #isNamedAfter({ principal, conversation }: NamedOwner): boolean {
    const { name } = this.#ctx.id;
    return name === undefined || name === conversationObjectName(principal.tenant, conversation);
  }
}
