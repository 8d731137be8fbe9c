/** The UTC calendar, as SQLite knows it: days, months, when they end. Rules: SE80. */
import { numberAt, textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";

export interface Calendar {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** First and last conceivable day of the month, to compare days with. */
  readonly monthStart: string;
  readonly monthEnd: string;
  /** Epoch milliseconds at which the day and the month are over. */
  readonly dayEndsAt: number;
  readonly monthEndsAt: number;
}

/** `now` is epoch milliseconds. */
export function readCalendar(sql: SqlPort, now: number): Calendar {
  const seconds = Math.floor(now / 1000);
  const [row] = sql.all(
    `SELECT date(?1, 'unixepoch') AS day, strftime('%Y-%m', ?1, 'unixepoch') AS month,
      CAST(strftime('%s', ?1, 'unixepoch', 'start of day', '+1 day') AS INTEGER) AS day_ends,
      CAST(strftime('%s', ?1, 'unixepoch', 'start of month', '+1 month') AS INTEGER) AS month_ends`,
    seconds,
  );
  if (row === undefined) throw new Error("the database has no calendar");
  const month = textAt(row, "month");
  return {
    day: textAt(row, "day"),
    monthStart: `${month}-01`,
    monthEnd: `${month}-31`,
    dayEndsAt: numberAt(row, "day_ends") * 1000,
    monthEndsAt: numberAt(row, "month_ends") * 1000,
  };
}
