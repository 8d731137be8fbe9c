/** Usage by UTC day and agent: turns, tokens, cost. Rules: SE80, SE85. */
import type { SpentTokens, UsageLine, UsageQuery, UsageReport } from "../../contracts/tenant.ts";
import { numberAt, textAt } from "../rows.ts";
import type { SqlPort, SqlRow } from "../sql-port.ts";
import { nothingSpent, readBudget } from "./budget-store.ts";
import { readCalendar } from "./calendar.ts";
import { toUsd } from "./money.ts";

/** What is no count adds nothing. */
const countOf = (count: number | undefined): number => (Number.isSafeInteger(count) ? Math.max(count ?? 0, 0) : 0);

interface UsageChange {
  readonly day: string;
  readonly agent: string;
  readonly turns?: number;
  /** Nano-dollars. */
  readonly cost?: number;
  readonly tokens?: SpentTokens;
}

function addUsage(sql: SqlPort, { day, agent, turns = 0, cost = 0, tokens }: UsageChange): void {
  sql.run(
    `INSERT INTO usage (day, agent, turns, input_tokens, output_tokens, cached_tokens, reasoning_tokens, cost)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
     ON CONFLICT (day, agent) DO UPDATE SET turns = turns + ?3, input_tokens = input_tokens + ?4,
       output_tokens = output_tokens + ?5, cached_tokens = cached_tokens + ?6,
       reasoning_tokens = reasoning_tokens + ?7, cost = cost + ?8`,
    day,
    agent,
    turns,
    countOf(tokens?.inputTokens),
    countOf(tokens?.outputTokens),
    countOf(tokens?.cachedTokens),
    countOf(tokens?.reasoningTokens),
    cost,
  );
}

/** `cost` is in nano-dollars. */
export const addSpend = (sql: SqlPort, spend: UsageChange & { readonly cost: number }): void => addUsage(sql, spend);

/** `at` is epoch milliseconds of the answer. */
export function countTokens(
  sql: SqlPort,
  { agent, at, tokens }: { readonly agent: string; readonly at: number; readonly tokens: SpentTokens },
): void {
  addUsage(sql, { day: readCalendar(sql, at).day, agent, tokens });
}

/** `at` is epoch milliseconds of its first sign of life. */
export function countTurn(sql: SqlPort, agent: string, at: number): void {
  addUsage(sql, { day: readCalendar(sql, at).day, agent, turns: 1 });
}

const toLine = (row: SqlRow): UsageLine => ({
  day: textAt(row, "day"),
  agent: textAt(row, "agent"),
  turns: numberAt(row, "turns"),
  inputTokens: numberAt(row, "input_tokens"),
  outputTokens: numberAt(row, "output_tokens"),
  cachedTokens: numberAt(row, "cached_tokens"),
  reasoningTokens: numberAt(row, "reasoning_tokens"),
  costUsd: toUsd(numberAt(row, "cost")),
});

interface UsageSpan {
  readonly from: string;
  readonly to: string;
}

/** From the month's first day if nothing is said; never more than a year, so that a report has a bound. */
function readSpan(sql: SqlPort, query: UsageQuery, now: number): UsageSpan {
  const to = query.to ?? readCalendar(sql, now).day;
  const from = query.from ?? `${to.slice(0, "YYYY-MM-".length)}01`;
  const [row] = sql.all("SELECT max(?, date(?, '-366 days')) AS earliest", from, to);
  return { from: row === undefined ? from : textAt(row, "earliest"), to };
}

/** The report of a tenant that has no tables yet. */
export const emptyUsage = (sql: SqlPort, query: UsageQuery, now: number): UsageReport => ({
  ...readSpan(sql, query, now),
  lines: [],
  today: nothingSpent,
  month: nothingSpent,
});

/** What was settled is in the lines; what is held or lapsed is in the budget alone. */
export function readUsage(sql: SqlPort, query: UsageQuery, now: number): UsageReport {
  const { from, to } = readSpan(sql, query, now);
  const lines = sql.all("SELECT * FROM usage WHERE day BETWEEN ? AND ? ORDER BY day, agent", from, to).map(toLine);
  return { from, to, lines, ...readBudget(sql, now) };
}
