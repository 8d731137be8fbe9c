/** SqlPort over a Durable Object's SQLite. Rules: DU1, DU39. */
import { checkBindings } from "../src/storage/bindings.ts";
import type { SqlPort, SqlRow, SqlValue } from "../src/storage/sql-port.ts";

type RawValue = ArrayBuffer | string | number | null;

/** The object hands blobs out as buffers. In place, since the row was made for us and most columns hold none. */
function toSqlRow(row: Record<string, RawValue | SqlValue>): SqlRow {
  for (const column of Object.keys(row)) {
    const value = row[column];
    if (value instanceof ArrayBuffer) row[column] = new Uint8Array(value);
  }
  return row as SqlRow;
}

/**
 * `countWritten` is told the rows that each statement wrote, indices included, as they are billed. `onRollback` is called when a
 * transaction has left nothing behind.
 */
export function createSqlPort(
  storage: DurableObjectStorage,
  countWritten?: (rows: number) => void,
  onRollback?: () => void,
): SqlPort {
  const { sql } = storage;
  /** Every cursor is read to its end at once: one left open breaks the commit, and none may outlive an await. */
  const execute = (statement: string, bindings: readonly SqlValue[]) => {
    checkBindings(bindings);
    const cursor = sql.exec<Record<string, RawValue>>(statement, ...bindings);
    const rows = cursor.toArray();
    const { rowsWritten } = cursor;
    countWritten?.(rowsWritten);
    return { rows, rowsWritten };
  };
  return {
    all: (statement, ...bindings) => execute(statement, bindings).rows.map(toSqlRow),
    run: (statement, ...bindings) => execute(statement, bindings).rowsWritten > 0,
    transaction: (act) => {
      try {
        return storage.transactionSync(act);
      } catch (error) {
        onRollback?.();
        throw error;
      }
    },
  };
}
