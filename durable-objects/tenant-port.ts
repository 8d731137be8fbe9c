/** The tenant as a conversation object sees it: admission, the cost meter, projections. Rules: DU35, DU38, DU42, SE80. */
import type { Problem } from "../src/contracts/errors.ts";
import { failWith, type Result } from "../src/contracts/result.ts";
import type {
  AdmissionRequest,
  ConversationOwner,
  Projection,
  Reservation,
  ReservationRequest,
  Spend,
  TenantMeterVerbs,
} from "../src/contracts/tenant.ts";
import { tenantObjectName } from "../src/http/object-name.ts";
import { callVerb, unreachable } from "../src/http/reach-object.ts";
import { systemPorts } from "./system-ports.ts";

/**
 * Every verb may be repeated and then has the effect of one, and none rejects. Each can fail with `overloaded` when the tenant
 * object cannot be reached in time, or failed itself: nothing is known then of whether it took effect, and asking again is right.
 */
export interface TenantPort {
  /**
   * Before a turn is accepted, and before a conversation is made. Takes the turn's place among the tenant's until its first fact
   * is projected, or for 15 minutes. Fails with `quota-exceeded` (the problem to answer with) or `conversation-deleted`.
   */
  admit(request: AdmissionRequest): Promise<Result<null, Problem>>;
  /**
   * Awaited before each model call (T3): the most that it can cost, for 15 minutes. Fails with `quota-exceeded`, policy `budget`:
   * the call must not be made. On `overloaded` the call may go ahead (LC30); its `commit` charges it.
   */
  reserve(request: ReservationRequest): Promise<Result<Reservation, Problem>>;
  /** With the heartbeat, while the call runs: 15 minutes from now. A lapsed one stays lapsed, and the call may go on. */
  renew(reservation: string): Promise<Result<Reservation, Problem>>;
  /** The true figure, from the outbox; also of a call that went ahead without a reservation. What was reserved beyond it is free again. */
  commit(spend: Spend): Promise<Result<null, Problem>>;
  /** The call was never sent: all of it is free again. */
  release(reservation: string): Promise<Result<null, Problem>>;
  /** From the outbox, as many facts at once as there are. The index and the inbox lag by as long as this takes. */
  project(facts: readonly Projection[]): Promise<Result<null, Problem>>;
}

/** What is needed of the namespace of tenant objects. */
export interface TenantNamespace {
  getByName(name: string): TenantMeterVerbs;
}

/** Milliseconds: a model call waits for the meter, so that one is given up soon. */
const timeoutMs = 5000;

export function createTenantPort(tenants: TenantNamespace, owner: ConversationOwner): TenantPort {
  /** A stub for each attempt: an old one keeps failing once its object was reset. */
  const call = async <Value>(
    verb: (stub: TenantMeterVerbs) => Promise<Result<Value, Problem>>,
  ): Promise<Result<Value, Problem>> => {
    const attempt = async () => await verb(tenants.getByName(tenantObjectName(owner.tenant)));
    try {
      return await callVerb(attempt, { idempotent: true, timeoutMs });
    } catch (error) {
      // A bug over there ends no turn here.
      systemPorts.log("error", "tenant_failed", { error: String(error) });
      return failWith(unreachable);
    }
  };
  return {
    admit: (request) => call((stub) => stub.admit(owner, request)),
    reserve: (request) => call((stub) => stub.reserve(owner, request)),
    renew: (reservation) => call((stub) => stub.renew(owner, reservation)),
    commit: (spend) => call((stub) => stub.commit(owner, spend)),
    release: (reservation) => call((stub) => stub.release(owner, reservation)),
    project: (facts) => call((stub) => stub.project(owner, facts)),
  };
}
