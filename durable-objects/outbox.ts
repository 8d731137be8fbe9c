/** Outbox: tells the tenant what this conversation has come to, in order, until it has heard; no turn waits for that. Rules: DU42, DU45, HC13. */
import type { Problem } from "../src/contracts/errors.ts";
import type { LogPort } from "../src/contracts/ports.ts";
import type { Result } from "../src/contracts/result.ts";
import { type ClosedCharge, dropCharge, listOpenCharges } from "../src/storage/charge-store.ts";
import { confirmFacts, type Outgoing, takeOutgoing } from "../src/storage/outbox.ts";
import { hasOutgoing, takeTry } from "../src/storage/outbox-deadline.ts";
import type { StoreContext } from "../src/storage/store-context.ts";
import type { TenantPort } from "./tenant-port.ts";

export interface OutboxParts {
  readonly store: StoreContext;
  readonly tenant: TenantPort;
  /** Resolves when everything written so far is durable: nothing is told that could still be lost. */
  readonly durable: () => Promise<void>;
  readonly keepAwake: (work: Promise<void>) => void;
  readonly log: LogPort;
}

export class Outbox {
  readonly #parts: OutboxParts;
  #sending = false;
  /** The tenant did not hear us: the alarm tries again. */
  #failed = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** After every commit; costs one look at a row while there is nothing to tell. */
  kick(): void {
    if (this.#sending || this.#failed || !hasOutgoing(this.#parts.store.sql)) return;
    this.#sending = true;
    this.#parts.keepAwake(this.#send());
  }

  /** The deadline has come. */
  ring(): void {
    const goesOn = takeTry(this.#parts.store);
    if (!goesOn) this.#parts.log("error", "outbox_parked");
    this.#failed = false;
    this.kick();
  }

  /** With the heartbeat: calls that are being made keep what was reserved for them (DU42). */
  renew(): void {
    const { store, tenant, keepAwake } = this.#parts;
    // One that is not renewed lapses, which counts as spent like one that is held.
    for (const reservation of listOpenCharges(store.sql)) {
      keepAwake(tenant.renew(reservation).then(() => undefined));
    }
  }

  async #send(): Promise<void> {
    const { store, durable, log } = this.#parts;
    try {
      for (;;) {
        await durable();
        const outgoing = takeOutgoing(store);
        if (outgoing === undefined) return;
        const refused = await this.#tell(outgoing);
        if (refused === undefined) continue;
        this.#failed = true;
        log("warn", "outbox_failed", { problem: refused.slug });
        return;
      }
    } catch (error) {
      this.#failed = true;
      log("error", "outbox_failed", { error: String(error) });
    } finally {
      this.#sending = false;
    }
  }

  /** What it was told stays told, also if the rest is not. */
  async #tell(outgoing: Outgoing): Promise<Problem | undefined> {
    const { tenant } = this.#parts;
    const { sql } = this.#parts.store;
    if (outgoing.facts.length > 0) {
      const told = await tenant.project(outgoing.facts);
      if (!told.ok) return told.failure;
      confirmFacts(sql, outgoing);
    }
    for (const charge of outgoing.charges) {
      const settled = await settle(tenant, charge);
      if (!settled.ok) return settled.failure;
      dropCharge(sql, charge.reservation);
    }
    return undefined;
  }
}

function settle(tenant: TenantPort, { end, ...charge }: ClosedCharge): Promise<Result<null, Problem>> {
  if (end === "unsent") return tenant.release(charge.reservation);
  return tenant.commit({ ...charge, ...(end === "unknown" ? {} : { costUsd: end.costUsd }) });
}
