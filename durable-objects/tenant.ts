/** TenantObject: one tenant's Durable Object – quotas, budget, inbox, index. It awaits no conversation while it serves one. Rules: G16, DU42, DU45, DU46. */
import { DurableObject } from "cloudflare:workers";
import type { Problem } from "../src/contracts/errors.ts";
import { failWith, type Result, succeed } from "../src/contracts/result.ts";
import type * as tenant from "../src/contracts/tenant.ts";
import { admit } from "../src/storage/tenant/admit.ts";
import { listInbox } from "../src/storage/tenant/approval-inbox.ts";
import {
  buryConversation,
  isDeleted,
  keepFinalRecord,
  listConversations,
} from "../src/storage/tenant/conversation-index.ts";
import { projectFacts } from "../src/storage/tenant/project-facts.ts";
import {
  commitSpend,
  releaseReservation,
  renewReservation,
  reserveBudget,
} from "../src/storage/tenant/reservation-store.ts";
import { emptyUsage, readUsage } from "../src/storage/tenant/usage-store.ts";
import { conversationDeleted, type FullQuota, quotaExceeded } from "../src/wire/tenant-problems.ts";
import { conversationObjectName } from "../src/http/object-name.ts";
import { reachObject } from "../src/http/reach-object.ts";
import { systemPorts } from "./system-ports.ts";
import { meetDue } from "./tenant-deadlines.ts";
import { TenantEntry } from "./tenant-entry.ts";

type Owner = tenant.ConversationOwner;
type Answer<Value> = Promise<Result<Value, Problem>>;

/** Milliseconds that a conversation has for its own erasure. */
const eraseMs = 30_000;
/** A turn that is cut off may write some more. */
const mostErasures = 5;
const nothing: tenant.Page<never> = { items: [], more: false };

export class TenantObject extends DurableObject implements tenant.TenantVerbs {
  readonly #entry: TenantEntry;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#entry = new TenantEntry(ctx);
  }

  async admit(owner: Owner, request: tenant.AdmissionRequest): Answer<null> {
    const judged = this.#entry.write(owner.tenant, (sql, now) => {
      const admission = admit(sql, owner.conversation, { request, now });
      if (admission.kind === "deleted") return failWith(conversationDeleted);
      return admission.kind === "admitted" ? succeed(null) : failWith(quotaExceeded(toQuota(admission, now)));
    });
    return judged.ok ? judged.value : judged;
  }

  async reserve(owner: Owner, request: tenant.ReservationRequest): Answer<tenant.Reservation> {
    const reserved = this.#entry.write(owner.tenant, (sql, now) => {
      const { conversation } = owner;
      const reserving = reserveBudget(sql, conversation, { request, now });
      if (reserving.granted) return succeed({ state: reserving.state });
      return failWith(quotaExceeded(toQuota({ policy: "budget", until: reserving.until }, now)));
    });
    return reserved.ok ? reserved.value : reserved;
  }

  async renew({ tenant: name, conversation }: Owner, id: string): Answer<tenant.Reservation> {
    return this.#entry.write(name, (sql, now) => ({
      state: renewReservation(sql, { conversation, id }, now) ?? "unknown",
    }));
  }

  async commit({ tenant: name, conversation }: Owner, spend: tenant.Spend): Answer<null> {
    return this.#entry.write(name, (sql, now) => {
      commitSpend(sql, conversation, { spend, now });
      return null;
    });
  }

  async release({ tenant: name, conversation }: Owner, id: string): Answer<null> {
    return this.#entry.write(name, (sql, now) => {
      releaseReservation(sql, { conversation, id }, now);
      return null;
    });
  }

  async project({ tenant: name, conversation }: Owner, facts: readonly tenant.Projection[]): Answer<null> {
    return this.#entry.write(name, (sql) => {
      projectFacts(sql, conversation, facts);
      return null;
    });
  }

  async listConversations(
    name: string,
    query: tenant.ConversationQuery,
  ): Answer<tenant.Page<tenant.ConversationEntry>> {
    return this.#entry.read(name, nothing, (sql) => listConversations(sql, query));
  }

  async deleteConversation({ tenant: name, conversation }: Owner): Answer<null> {
    return this.#entry.write(name, (sql, now) => {
      buryConversation(sql, conversation, now);
      return null;
    });
  }

  async isDeleted({ tenant: name, conversation }: Owner): Answer<boolean> {
    return this.#entry.read(name, false, (sql) => isDeleted(sql, conversation));
  }

  async listInbox(name: string, page: { before?: number; limit: number }): Answer<tenant.Page<tenant.InboxEntry>> {
    return this.#entry.read(name, nothing, (sql) => listInbox(sql, page, Date.now()));
  }

  async readUsage(name: string, query: tenant.UsageQuery): Answer<tenant.UsageReport> {
    const now = Date.now();
    return this.#entry.read(name, emptyUsage(this.#entry.sql, query, now), (sql) => readUsage(sql, query, now));
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const { sql, alarm } = this.#entry;
    const erase = (conversation: string): Promise<void> => this.#erase(conversation);
    const parts = { sql, erase, now: () => Date.now(), log: systemPorts.log };
    await alarm.ring(info?.retryCount ?? 0, () => meetDue(parts));
  }

  /** By the alarm alone, when nobody waits for this object. */
  async #erase(conversation: string): Promise<void> {
    const owner = this.#entry.owner();
    if (owner === undefined) throw new Error("an object without an owner has nothing to erase");
    const name = conversationObjectName(owner, conversation);
    let recorded: string | undefined;
    // Twice, unless the conversation still writes: its end is kept here before it goes (AU3).
    for (let tries = 0; tries < mostErasures; tries += 1) {
      const known = recorded;
      const erased = await reachObject(
        async () => await this.env.CONVERSATIONS.getByName(name).erase({ tenant: owner, conversation }, known),
        { idempotent: true, timeoutMs: eraseMs },
      );
      if (!erased.ok) throw new Error("the conversation cannot be reached");
      if (erased.value === undefined) return;
      keepFinalRecord(this.#entry.sql, conversation, erased.value);
      recorded = erased.value.hash;
    }
    throw new Error("the conversation has not come to rest");
  }
}

const toQuota = ({ policy, until }: { readonly policy: string; readonly until?: number }, now: number): FullQuota => ({
  policy,
  ...(until === undefined ? {} : { retryAfterSecs: Math.max(1, Math.ceil((until - now) / 1000)) }),
});
