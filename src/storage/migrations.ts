/** Migrations: numbered steps from no tables to the current schema, each applied once. Rules: DU43, DU48. */
import { insertRow, numberAt } from "./rows.ts";
import { firstSchema } from "./schema.ts";
import type { SqlPort } from "./sql-port.ts";

/** Step n is at index n - 1. Steps are only ever added, and only ever add. */
const migrationSteps: readonly (readonly string[])[] = [firstSchema];

/** False for an object that was never written to: it must stay that way until its first write. */
export function hasTables(sql: SqlPort): boolean {
  return sql.all("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = '_migrations'").length > 0;
}

function lastApplied(sql: SqlPort): number {
  if (!hasTables(sql)) return 0;
  const [row] = sql.all("SELECT coalesce(max(n), 0) AS n FROM _migrations");
  return row === undefined ? 0 : numberAt(row, "n");
}

/**
 * Applies what is missing, oldest first, each step in a transaction of its own; `now` is epoch milliseconds.
 * Without `steps`, those of a conversation.
 */
export function migrate(sql: SqlPort, now: number, steps: readonly (readonly string[])[] = migrationSteps): void {
  const applied = lastApplied(sql);
  for (const [index, statements] of steps.entries()) {
    const n = index + 1;
    if (n <= applied) continue;
    sql.transaction(() => {
      sql.run("CREATE TABLE IF NOT EXISTS _migrations (n INTEGER PRIMARY KEY, applied_ms INTEGER NOT NULL)");
      for (const statement of statements) sql.run(statement);
      insertRow(sql, "_migrations", { n, applied_ms: now });
    });
  }
}
