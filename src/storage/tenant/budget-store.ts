/** The budget's sums by UTC day: reserved, committed, released, lapsed; what is none of the last three is held. Rules: G17, HC13, SE80. */
import type { BudgetLimits, BudgetStanding } from "../../contracts/tenant.ts";
import { numberAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { type Calendar, readCalendar } from "./calendar.ts";
import { toNanos, toUsd } from "./money.ts";

/** In nano-dollars. */
interface BudgetSums {
  readonly reserved: number;
  readonly committed: number;
  readonly released: number;
  readonly lapsed: number;
}

export function moveBudget(sql: SqlPort, day: string, change: Partial<BudgetSums>): void {
  const { reserved = 0, committed = 0, released = 0, lapsed = 0 } = change;
  sql.run(
    `INSERT INTO budget (day, reserved, committed, released, lapsed) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (day) DO UPDATE SET reserved = reserved + ?2, committed = committed + ?3,
       released = released + ?4, lapsed = lapsed + ?5`,
    day,
    reserved,
    committed,
    released,
    lapsed,
  );
}

function sumBudget(sql: SqlPort, from: string, to: string): BudgetSums {
  const [row] = sql.all(
    `SELECT coalesce(sum(reserved), 0) AS reserved, coalesce(sum(committed), 0) AS committed,
      coalesce(sum(released), 0) AS released, coalesce(sum(lapsed), 0) AS lapsed
     FROM budget WHERE day BETWEEN ? AND ?`,
    from,
    to,
  );
  const at = (column: string): number => (row === undefined ? 0 : numberAt(row, column));
  return { reserved: at("reserved"), committed: at("committed"), released: at("released"), lapsed: at("lapsed") };
}

const periodsOf = (sql: SqlPort, { day, monthStart, monthEnd }: Calendar) => ({
  today: sumBudget(sql, day, day),
  month: sumBudget(sql, monthStart, monthEnd),
});

/** What is reserved and not given back counts as spent, whether it is or not. */
const spentOf = ({ reserved, released }: BudgetSums): number => reserved - released;

/**
 * Whether `amount` nano-dollars more would break a limit; 0 asks whether a period is already used up. A limit that is no amount
 * holds for everything. Answers the epoch milliseconds at which the period that has no room left is over.
 */
export function findBudgetFull(
  sql: SqlPort,
  { amount, limits, now }: { readonly amount: number; readonly limits: BudgetLimits; readonly now: number },
): number | undefined {
  const calendar = readCalendar(sql, now);
  const { today, month } = periodsOf(sql, calendar);
  const isFull = (sums: BudgetSums, limitUsd: number): boolean => {
    const limit = toNanos(limitUsd) ?? 0;
    return amount === 0 ? spentOf(sums) >= limit : spentOf(sums) + amount > limit;
  };
  if (isFull(month, limits.monthlyLimitUsd)) return calendar.monthEndsAt;
  return isFull(today, limits.dailyLimitUsd) ? calendar.dayEndsAt : undefined;
}

function toStanding({ reserved, committed, released, lapsed }: BudgetSums): BudgetStanding {
  return {
    reservedUsd: toUsd(reserved),
    heldUsd: toUsd(reserved - committed - released - lapsed),
    committedUsd: toUsd(committed),
    releasedUsd: toUsd(released),
    lapsedUsd: toUsd(lapsed),
  };
}

export const nothingSpent: BudgetStanding = toStanding({ reserved: 0, committed: 0, released: 0, lapsed: 0 });

export function readBudget(
  sql: SqlPort,
  now: number,
): { readonly today: BudgetStanding; readonly month: BudgetStanding } {
  const { today, month } = periodsOf(sql, readCalendar(sql, now));
  return { today: toStanding(today), month: toStanding(month) };
}
