/** Charges: model calls that may cost something, from before they are sent until their tenant has heard what they came to. Rules: G17, SE81, SE85, HC13. */
import type { Charge, ChargeEnd } from "../contracts/ports.ts";
import { keepOutbox } from "./outbox-deadline.ts";
import { insertRow, numberAt, optionalNumberAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";

/** `open`: it may have been sent. `spent`: without a cost it counts in full. */
type ChargeState = "open" | "spent" | "unsent";

export interface ClosedCharge extends Charge {
  readonly end: ChargeEnd;
}

export function insertCharge(sql: SqlPort, turn: number, { reservation, agent, estimateUsd }: Charge): void {
  insertRow(sql, "charges", { reservation, turn, agent, estimate: estimateUsd, state: "open", cost: null });
}

function columnsOf(end: ChargeEnd): { readonly state: ChargeState; readonly cost: number | null } {
  if (end === "unsent") return { state: end, cost: null };
  return { state: "spent", cost: end !== "unknown" && Number.isFinite(end.costUsd) ? end.costUsd : null };
}

/** For use inside a transaction. Nothing, when it was closed before. */
export function closeCharge(context: StoreContext, reservation: string, end: ChargeEnd): void {
  const { state, cost } = columnsOf(end);
  const change = "UPDATE charges SET state = ?, cost = ? WHERE reservation = ? AND state = 'open'";
  if (context.sql.run(change, state, cost, reservation)) keepOutbox(context);
}

/** For use inside every transaction behind which nobody hears any more how the turn's open calls end: they count in full. */
export function closeChargesOf(context: StoreContext, turn: number): void {
  const change = "UPDATE charges SET state = 'spent' WHERE turn = ? AND state = 'open'";
  if (context.sql.run(change, turn)) keepOutbox(context);
}

const endOf = (state: string, cost: number | undefined): ChargeEnd => {
  if (state === "unsent") return "unsent";
  return cost === undefined ? "unknown" : { costUsd: cost };
};

const toClosed = (row: SqlRow): ClosedCharge => ({
  reservation: textAt(row, "reservation"),
  agent: textAt(row, "agent"),
  estimateUsd: numberAt(row, "estimate"),
  end: endOf(textAt(row, "state"), optionalNumberAt(row, "cost")),
});

/** What the tenant has yet to hear of. */
export const listClosedCharges = (sql: SqlPort, limit: number): readonly ClosedCharge[] =>
  sql.all("SELECT * FROM charges WHERE state <> 'open' ORDER BY reservation LIMIT ?", limit).map(toClosed);

/** Reservations of calls that are being made. */
export const listOpenCharges = (sql: SqlPort): readonly string[] =>
  sql.all("SELECT reservation FROM charges WHERE state = 'open'").map((row) => textAt(row, "reservation"));

export const dropCharge = (sql: SqlPort, reservation: string): boolean =>
  sql.run("DELETE FROM charges WHERE reservation = ?", reservation);
