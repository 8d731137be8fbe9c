/** ConversationObject: one conversation's Durable Object – wiring, ownership, RPC verbs. Rules: SE17, SE19, DU17, DU43. */
import { DurableObject } from "cloudflare:workers";
import type { DecisionInput } from "../src/contracts/approval.ts";
import type { Problem } from "../src/contracts/errors.ts";
import type { InputPart } from "../src/contracts/message.ts";
import type { ReceiptClaim } from "../src/contracts/receipt.ts";
import { type Result, succeed } from "../src/contracts/result.ts";
import type * as verbs from "../src/contracts/verbs.ts";
import { Admission } from "./admission.ts";
import { decide, pageApprovals } from "./approval-verbs.ts";
import { pageAudit } from "./audit-verbs.ts";
import { answerCalls } from "./client-call-verbs.ts";
import { type Conversation, ConversationEntry, type EntryHooks, entryHooks, viewOf } from "./conversation-entry.ts";
import type { Owner } from "./conversation-parts.ts";
import { createConversationRouter } from "./conversation-router.ts";
import { pageEvents } from "./event-verbs.ts";
import { judgeClaim, pageReceipts, readReceipt } from "./receipt-verbs.ts";
import { cancel, steer } from "./steering-verbs.ts";
import { awaitTurn, orNotFound, pageTurns, readTurn } from "./turn-verbs.ts";

type Answer<Value> = Promise<Result<Value, Problem>>;

export class ConversationObject extends DurableObject implements verbs.ConversationVerbs {
  readonly #entry: ConversationEntry;
  readonly #admission: Admission;
  readonly #route: (request: Request) => Promise<Response>;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#entry = new ConversationEntry(ctx, env, this.hooks());
    this.#admission = new Admission(this.#entry);
    this.#route = createConversationRouter((caller) => this.#entry.enter(caller));
  }

  /** What it is made of that a bench or a test build replaces. */
  protected hooks(): EntryHooks {
    return entryHooks;
  }

  async createConversation(caller: verbs.Caller, create: verbs.CreateConversation): Answer<verbs.ConversationView> {
    const made = await this.#admission.createConversation(caller, create);
    return made.ok ? succeed(viewOf(made.value)) : made;
  }

  async readConversation(caller: verbs.Caller): Answer<verbs.ConversationView> {
    return this.#with(caller, (conversation) => succeed(viewOf(conversation)));
  }

  async startTurn(caller: verbs.Caller, start: verbs.StartTurn): Answer<verbs.AcceptedTurn> {
    return this.#admission.startTurn(caller, start);
  }

  async cancelTurn(caller: verbs.Caller, turn: string): Answer<verbs.TurnView> {
    return this.#with(caller, ({ parts, queue }) => {
      const cancelled = cancel({ parts, queue }, turn, caller.principal);
      return cancelled.ok ? orNotFound(readTurn(parts, turn)) : cancelled;
    });
  }

  async steerTurn(caller: verbs.Caller, turn: string, input: readonly InputPart[]): Answer<verbs.TurnView> {
    return this.#with(caller, ({ parts }) => {
      const steered = steer(parts, caller, { turn, input });
      return steered.ok ? orNotFound(readTurn(parts, turn)) : steered;
    });
  }

  async postToolResults(
    caller: verbs.Caller,
    turn: string,
    results: readonly verbs.ClientToolResult[],
  ): Answer<verbs.TurnView> {
    return this.#with(caller, async ({ parts, queue }) => {
      const answered = await answerCalls({ parts, queue }, turn, results);
      return answered.ok ? orNotFound(readTurn(parts, turn)) : answered;
    });
  }

  async listApprovals(
    caller: verbs.Caller,
    page: { before?: number; limit: number },
  ): Answer<readonly verbs.ApprovalView[]> {
    return this.#with(caller, ({ parts }) => succeed(pageApprovals(parts, page)));
  }

  async decideApproval(caller: verbs.Caller, approvalId: string, input: DecisionInput): Answer<verbs.ApprovalView> {
    return this.#with(caller, ({ parts, queue }) => decide({ parts, queue, caller }, { approvalId, input }));
  }

  async erase(owner: Owner, recorded?: string): ReturnType<ConversationEntry["erase"]> {
    return this.#entry.erase(owner, recorded);
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#entry.ring(info?.retryCount ?? 0);
  }

  async readTurn(caller: verbs.Caller, turn: string): Answer<verbs.TurnView> {
    return this.#with(caller, ({ parts }) => orNotFound(readTurn(parts, turn)));
  }

  async listTurns(caller: verbs.Caller, page: { before?: number; limit: number }): Answer<readonly verbs.TurnView[]> {
    return this.#with(caller, ({ parts }) => succeed(pageTurns(parts, page)));
  }

  async awaitTurn(caller: verbs.Caller, turn: string, waitSecs: number): Answer<verbs.TurnView> {
    return this.#with(caller, async ({ parts }) => orNotFound(await awaitTurn(parts, turn, waitSecs)));
  }

  async readEvents(caller: verbs.Caller, query: verbs.EventPageQuery): Answer<verbs.EventPage> {
    return this.#with(caller, ({ parts }) => pageEvents(parts, query));
  }

  async listReceipts(
    caller: verbs.Caller,
    page: { after: number; limit: number },
  ): Answer<readonly verbs.ReceiptView[]> {
    return this.#with(caller, ({ parts }) => succeed(pageReceipts(parts, page)));
  }

  async readReceipt(caller: verbs.Caller, token: string): Answer<verbs.ReceiptView> {
    return this.#with(caller, ({ parts }) => orNotFound(readReceipt(parts, token)));
  }

  async readAudit(caller: verbs.Caller, query: verbs.AuditQuery): Answer<verbs.AuditPage> {
    return this.#with(caller, ({ parts }) => succeed(pageAudit(parts, query)));
  }

  async verifyReceipt(caller: verbs.Caller, claim: ReceiptClaim): ReturnType<verbs.ConversationVerbs["verifyReceipt"]> {
    return this.#with(caller, ({ parts }) => succeed(judgeClaim(parts, claim)));
  }

  override async fetch(request: Request): Promise<Response> {
    return this.#route(request);
  }

  async #with<Value>(
    caller: verbs.Caller,
    act: (conversation: Conversation) => Result<Value, Problem> | Answer<Value>,
  ): Answer<Value> {
    const entered = this.#entry.enter(caller);
    return entered.ok ? act(entered.value) : entered;
  }
}
