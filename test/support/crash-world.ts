/** A conversation whose instances die: one database, one alarm, a world outside that remembers; nobody but the alarm wakes what died. Rules: G2, DU18, DU49. */
import { createBoard } from "./progress-board.ts";
import { Outbox } from "../../durable-objects/outbox.ts";
import type { StoreContext } from "../../src/storage/store-context.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { createTestTenant } from "./test-tenant.ts";
import { McpServers } from "../../durable-objects/mcp-servers.ts";
import { vi } from "vitest";
import { decide } from "../../durable-objects/approval-verbs.ts";
import { answerCalls } from "../../durable-objects/client-call-verbs.ts";
import type { ConversationParts, Room } from "../../durable-objects/conversation-parts.ts";
import { fireDue } from "../../durable-objects/deadlines.ts";
import { EventFanout } from "../../durable-objects/event-fanout.ts";
import { ObjectAlarm } from "../../durable-objects/object-alarm.ts";
import { cancel, steer } from "../../durable-objects/steering-verbs.ts";
import { TurnQueue } from "../../durable-objects/turn-queue.ts";
import type { ModelEvent, ModelRequest } from "../../src/contracts/model.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { createConversation } from "../../src/storage/conversation-store.ts";
import { findNextDeadline } from "../../src/storage/deadline-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { listOfferedCalls } from "../../src/storage/open-requests.ts";
import { listOpenApprovals } from "../../src/storage/approval-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { findActiveTurn } from "../../src/storage/turn-store.ts";
import { encodeTurnEvent } from "../../src/wire/events.ts";
import { CrashPlatform } from "./crash-platform.ts";
import { caller, owner, post } from "./crash-caller.ts";
import { answerTo, type CrashScript, type Effect, type Outside } from "./crash-script.ts";
import { type Death, Life } from "./mortal.ts";
import { deploymentOf, type RoomSetup } from "./room-deployment.ts";
import { createTool, settle } from "./test-tools.ts";

const mostRings = 200;
const mostRetries = 6;

interface Instance extends Room {
  readonly life: Life;
  readonly alarm: ObjectAlarm;
  readonly queue: TurnQueue;
  readonly working: Promise<unknown>[];
}

export class CrashWorld implements Outside {
  readonly #platform = new CrashPlatform();
  readonly effects: Effect[] = [];
  readonly requests: ModelRequest[] = [];
  readonly script: CrashScript;
  readonly #deaths: Death[];
  readonly #setup: RoomSetup;
  #lives = 0;
  readonly #tenant = createTestTenant();
  #instance: Instance;
  #meanwhile: CrashScript["meanwhile"];

  /** The first lives die as they are told, one after another; the next one lives. */
  constructor(script: CrashScript, deaths: readonly Death[]) {
    this.script = script;
    this.#deaths = [...deaths];
    this.#meanwhile = script.meanwhile;
    migrate(this.sql, Date.now());
    createConversation(this.sql, { ...owner, agent: "ada", createdAt: Date.now() });
    this.#setup = script.setup(this);
    this.#instance = this.#create();
  }

  get sql(): SqlPort {
    return this.#platform.sql;
  }
  get observed(): ReadonlyMap<number, string> {
    return this.#platform.observed;
  }
  get alarmAt(): number | undefined {
    return this.#platform.alarmAt;
  }
  /** Whether all of the script's turns were, and no instance died before. */
  get accepted(): boolean {
    return this.sql.all("SELECT n FROM turns").length >= this.script.inputs.length;
  }
  /** Whether an instance has died. */
  get crashed(): boolean {
    return this.#lives > 1 || this.#instance.life.dead;
  }

  /** Posts the turns, then lets the alarm alone bring them to their end. Throws when it does not. */
  async run(): Promise<void> {
    for (const input of this.script.inputs) {
      await this.#rest();
      this.#do((room) => post(room, input));
    }
    await this.#rest();
    for (let rings = 0; this.#isOpen() || this.#instance.life.dead; rings += 1) {
      if (rings > mostRings) throw new Error("the alarm rings and rings, and the turn does not end");
      if (this.#platform.alarmAt === undefined && this.#isOpen()) throw new Error("a turn is open and no alarm is set");
      // Nothing was accepted, or nothing is left to do: whatever died is not missed.
      if (this.#platform.alarmAt === undefined) return;
      await this.#ring();
      await this.#rest();
    }
  }

  effect(name: string, flags: Partial<Tool> = {}): Tool {
    const execute: Parameters<typeof createTool>[1] = async (args, { callId, idempotencyKey }) => {
      const { life } = this.#instance;
      await life.pause();
      this.#someoneActs("effect");
      const callState = String(this.sql.all("SELECT state FROM calls WHERE call_id = ?", callId)[0]?.["state"]);
      const key = idempotencyKey === undefined ? {} : { key: idempotencyKey };
      this.effects.push({ callId, tool: name, args, callState, ...key });
      await life.pause();
      return `${name} ran`;
    };
    return createTool(name, execute, { input: { type: "object" }, ...flags });
  }

  #create(): Instance {
    this.#lives += 1;
    const life = new Life(this.#deaths.shift());
    const sql = this.#platform.portOf(life);
    const alarm = new ObjectAlarm({
      storage: this.#platform.alarmStorageOf(life),
      next: () => findNextDeadline(sql),
    });
    const working: Promise<unknown>[] = [];
    const deployment = deploymentOf(this.#setup, {
      name: "scripted",
      defaultModel: "script-1",
      capabilities: () => ({ nativeTools: true, streaming: true, streamingTools: true }),
      maxOutputTokens: () => 4096,
      stream: (request) => this.#answer(life, request),
    });
    const store: StoreContext = {
      sql,
      conversation: owner.conversation,
      encodeEvent: encodeTurnEvent,
      audit: createAuditHasher(owner),
      now: () => Date.now(),
      setAlarm: (at) => alarm.set(at),
    };
    const platform = {
      durable: () => life.sync(),
      keepAwake: (work: Promise<void>) => void working.push(work.catch(() => undefined)),
    };
    const tenant = this.#tenant;
    const outbox = new Outbox({ store, tenant, log: () => undefined, ...platform });
    const fanout = new EventFanout(() => outbox.kick());
    const mcp = new McpServers(deployment, sql);
    const progress = createBoard(fanout, owner.conversation);
    const own = { owner, deployment, store, fanout, progress, mcp, outbox };
    const parts: ConversationParts = { ...own, tenant, ...platform };
    return { life, alarm, parts, queue: new TurnQueue(parts), working };
  }

  /** As an object boots that has rows. */
  async #boot(): Promise<void> {
    const { queue, alarm } = this.#instance;
    try {
      queue.boot();
      await alarm.restore();
    } catch (error) {
      if (!this.#instance.life.dead) throw error;
    }
  }

  /** The alarm goes off; what it woke may die of it, and then it goes off again. */
  async #ring(): Promise<void> {
    const due = this.#platform.alarmAt ?? Date.now();
    vi.advanceTimersByTime(Math.max(0, due - Date.now()));
    for (let retry = 0; retry < mostRetries;) {
      this.#platform.alarmAt = undefined;
      if (this.#instance.life.dead) {
        this.script.afterCrash?.(this.sql);
        this.#instance = this.#create();
        await this.#boot();
      }
      const instance = this.#instance;
      const failed = await Promise.race([
        instance.alarm
          .ring(retry, () => fireDue(instance))
          .then(
            () => false,
            () => true,
          ),
        instance.life.died.then(() => true),
      ]);
      await settle();
      if (!failed || this.#platform.alarmAt !== undefined) return;
      // The platform counts what a handler threw, not what it did to the instance itself.
      if (!instance.life.dead) retry += 1;
    }
  }

  /** Until nothing of the instance runs any more, or it is dead. Whoever is asked may answer. */
  async #rest(): Promise<void> {
    for (;;) {
      const { working, life } = this.#instance;
      for (let at = 0; at < working.length; at += 1) await Promise.race([working[at], life.died]);
      await settle();
      if (life.dead || (await this.#answerOpen()) === 0) return;
    }
  }

  async #answerOpen(): Promise<number> {
    const { person } = this.script;
    if (person === undefined || (person === "first life" && this.#lives > 1)) return 0;
    const approvals = listOpenApprovals(this.sql);
    const offered = listOfferedCalls(this.sql);
    const turn = findActiveTurn(this.sql)?.turn.id ?? "";
    for (const { approval } of approvals) {
      this.#do(
        (room) => void decide({ ...room, caller }, { approvalId: approval.approvalId, input: { decision: "approve" } }),
      );
    }
    for (const { call } of offered) {
      const answered = answerCalls(this.#instance, turn, [
        { callId: call.callId, result: { success: true, output: "picked" } },
      ]).catch(() => undefined);
      await Promise.race([answered, this.#instance.life.died]);
    }
    return approvals.length + offered.length;
  }

  /** A verb that comes in; one that its instance dies of is not tried again. */
  #do(act: (room: Room) => void): void {
    const { life } = this.#instance;
    if (life.dead) return;
    try {
      act(this.#instance);
    } catch (error) {
      if (!life.dead) throw error;
    }
  }

  #someoneActs(at: "effect" | "model"): void {
    if (this.#meanwhile?.at !== at) return;
    const { act } = this.#meanwhile;
    this.#meanwhile = undefined;
    const turn = findActiveTurn(this.sql)?.turn.id ?? "";
    act({
      steer: (text) => this.#do(({ parts }) => void steer(parts, caller, { turn, input: [{ type: "text", text }] })),
      cancel: () => this.#do((room) => void cancel(room, turn)),
      post: (input, onBusy) => this.#do((room) => post(room, input, onBusy)),
    });
  }

  async *#answer(life: Life, request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests.push(request);
    await life.pause();
    if (this.#instance.life === life) this.#someoneActs("model");
    for (const event of answerTo(this.script, request.messages)) {
      yield event;
      await life.pause();
    }
  }

  #isOpen(): boolean {
    return this.sql.all("SELECT n FROM turns WHERE finished_ms IS NULL").length > 0;
  }
}
