/** Reservations: budget set aside before the spend, under a lease, settled once by the true figure. Rules: G17, DU42, SE80, SE81, SE85. */
import type { ReservationRequest, ReservationState, Spend } from "../../contracts/tenant.ts";
import { insertRow, numberAt, textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { findBudgetFull, moveBudget } from "./budget-store.ts";
import { readCalendar } from "./calendar.ts";
import { joinRef, putDeadline, removeDeadline } from "./deadline-store.ts";
import { toNanos } from "./money.ts";
import { keepForSweep } from "./sweep.ts";
import { addSpend } from "./usage-store.ts";

/** Milliseconds. */
export const leaseMs = 15 * 60 * 1000;

export interface ReservationKey {
  readonly conversation: string;
  readonly id: string;
}
interface StoredReservation extends ReservationKey {
  readonly day: string;
  /** Nano-dollars. */
  readonly amount: number;
  readonly state: ReservationState;
}

const leaseOf = ({ conversation, id }: ReservationKey) => ({ kind: "lease", ref: joinRef(conversation, id) }) as const;

function findReservation(sql: SqlPort, { conversation, id }: ReservationKey): StoredReservation | undefined {
  const [row] = sql.all("SELECT * FROM reservations WHERE conversation = ? AND id = ?", conversation, id);
  return (
    row && {
      conversation,
      id,
      day: textAt(row, "day"),
      amount: numberAt(row, "amount"),
      state: textAt(row, "state") as ReservationState,
    }
  );
}

export type Reserving =
  | { readonly granted: true; readonly state: ReservationState }
  /** Epoch milliseconds at which there may be room again. */
  | { readonly granted: false; readonly until: number };

/** The same one again, whatever became of it, reserves nothing more. A refusal leaves no row. */
export function reserveBudget(
  sql: SqlPort,
  conversation: string,
  { request, now }: { readonly request: ReservationRequest; readonly now: number },
): Reserving {
  const key = { conversation, id: request.reservation };
  const existing = findReservation(sql, key);
  if (existing !== undefined) return { granted: true, state: existing.state };
  const amount = toNanos(request.estimateUsd) ?? Number.POSITIVE_INFINITY;
  const until = findBudgetFull(sql, { amount, limits: request.limits, now });
  if (until !== undefined) return { granted: false, until };
  openReservation(sql, key, { amount, now, state: "held" });
  putDeadline(sql, leaseOf(key), now + leaseMs);
  return { granted: true, state: "held" };
}

function openReservation(
  sql: SqlPort,
  { conversation, id }: ReservationKey,
  { amount, now, state }: { readonly amount: number; readonly now: number; readonly state: ReservationState },
): StoredReservation {
  const { day } = readCalendar(sql, now);
  insertRow(sql, "reservations", { conversation, id, day, amount, state, closed_ms: null });
  moveBudget(sql, day, { reserved: amount });
  return { conversation, id, day, amount, state };
}

/** The lease of a held one begins anew. One that has lapsed stays lapsed: it is charged in full already. */
export function renewReservation(sql: SqlPort, key: ReservationKey, now: number): ReservationState | undefined {
  const { state } = findReservation(sql, key) ?? {};
  if (state === "held") putDeadline(sql, leaseOf(key), now + leaseMs);
  return state;
}

/** The lease is over: the whole of it counts as spent until the true figure comes. */
export function lapseReservation(sql: SqlPort, key: ReservationKey): void {
  removeDeadline(sql, leaseOf(key));
  const held = findReservation(sql, key);
  if (held?.state !== "held") return;
  setState(sql, key, { state: "lapsed", amount: held.amount, closedAt: null });
  moveBudget(sql, held.day, { lapsed: held.amount });
}

/**
 * The true figure, once. A call that was made without a reservation is charged all the same; what cost more than was reserved raises
 * the reservation to its cost. It counts for the day on which it was reserved.
 */
export function commitSpend(
  sql: SqlPort,
  conversation: string,
  { spend, now }: { readonly spend: Spend; readonly now: number },
): void {
  const key = { conversation, id: spend.reservation };
  const estimate = toNanos(spend.estimateUsd) ?? 0;
  const found = findReservation(sql, key) ?? openReservation(sql, key, { amount: estimate, now, state: "held" });
  if (found.state === "settled") return;
  const cost = toNanos(spend.costUsd) ?? found.amount;
  settle(sql, found, { cost, now });
  addSpend(sql, { day: found.day, agent: spend.agent, cost });
}

/** Nothing was spent. One that is not known is remembered as settled, so that a reserve on its way behind this holds nothing. */
export function releaseReservation(sql: SqlPort, key: ReservationKey, now: number): void {
  const found = findReservation(sql, key) ?? openReservation(sql, key, { amount: 0, now, state: "held" });
  if (found.state !== "settled") settle(sql, found, { cost: 0, now });
}

function settle(
  sql: SqlPort,
  found: StoredReservation,
  { cost, now }: { readonly cost: number; readonly now: number },
): void {
  const amount = Math.max(found.amount, cost);
  removeDeadline(sql, leaseOf(found));
  setState(sql, found, { state: "settled", amount, closedAt: now });
  moveBudget(sql, found.day, {
    reserved: amount - found.amount,
    committed: cost,
    released: amount - cost,
    lapsed: found.state === "lapsed" ? -found.amount : 0,
  });
  keepForSweep(sql, now);
}

function setState(
  sql: SqlPort,
  { conversation, id }: ReservationKey,
  to: { readonly state: ReservationState; readonly amount: number; readonly closedAt: number | null },
): void {
  sql.run(
    "UPDATE reservations SET state = ?, amount = ?, closed_ms = ? WHERE conversation = ? AND id = ?",
    to.state,
    to.amount,
    to.closedAt,
    conversation,
    id,
  );
}
