/** SqlPort over node:sqlite, in memory: the second SQLite that the storage suite runs on. */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { checkBindings } from "../../src/storage/bindings.ts";
import type { SqlPort, SqlRow, SqlValue } from "../../src/storage/sql-port.ts";
import type { WithDatabase } from "./storage-fixture.ts";

function toSqlValue(value: SQLOutputValue): SqlValue {
  if (typeof value === "bigint") throw new TypeError("a bigint came out of the database");
  return value;
}

const toSqlRow = (raw: Record<string, SQLOutputValue>): SqlRow =>
  Object.fromEntries(Object.entries(raw).map(([column, value]) => [column, toSqlValue(value)]));

/** `countWritten` is told the rows that each statement changed; indices are not counted here. */
export function createNodeSqlPort(database: DatabaseSync, countWritten?: (rows: number) => void): SqlPort {
  let depth = 0;
  return {
    all: (statement, ...bindings) => {
      checkBindings(bindings);
      return database
        .prepare(statement)
        .all(...bindings)
        .map(toSqlRow);
    },
    run: (statement, ...bindings) => {
      checkBindings(bindings);
      const changed = Number(database.prepare(statement).run(...bindings).changes);
      countWritten?.(changed);
      return changed > 0;
    },
    transaction: (act) => {
      const name = `level_${depth}`;
      database.exec(`SAVEPOINT ${name}`);
      depth += 1;
      try {
        const value = act();
        database.exec(`RELEASE ${name}`);
        return value;
      } catch (error) {
        database.exec(`ROLLBACK TO ${name}`);
        database.exec(`RELEASE ${name}`);
        throw error;
      } finally {
        depth -= 1;
      }
    },
  };
}

export const withNodeDatabase: WithDatabase = async (act) => {
  const database = new DatabaseSync(":memory:");
  let rows = 0;
  try {
    const sql = createNodeSqlPort(database, (written) => {
      rows += written;
    });
    return await act({ sql, written: () => rows });
  } finally {
    database.close();
  }
};
