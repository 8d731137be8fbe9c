/** SqlPort over a Durable Object's SQLite. Rules: DU1, DU39. */
import { checkBindings } from "../src/storage/bindings.ts";
import type { SqlPort, SqlRow, SqlValue } from "../src/storage/sql-port.ts";

type RawValue = ArrayBuffer | string | number | null;

/** The object hands blobs out as buffers. */
const toSqlValue = (value: RawValue): SqlValue => (value instanceof ArrayBuffer ? new Uint8Array(value) : value);

const toSqlRow = (raw: Record<string, RawValue>): SqlRow =>
  Object.fromEntries(Object.entries(raw).map(([column, value]) => [column, toSqlValue(value)]));

/** `countWritten` is told the rows that each statement wrote, indices included, as they are billed. */
export function createSqlPort(storage: DurableObjectStorage, countWritten?: (rows: number) => void): SqlPort {
  const { sql } = storage;
  /** Every cursor is read to its end at once: one left open breaks the commit, and none may outlive an await. */
  const execute = (statement: string, bindings: readonly SqlValue[]): Record<string, RawValue>[] => {
    checkBindings(bindings);
    const cursor = sql.exec<Record<string, RawValue>>(statement, ...bindings);
    const rows = cursor.toArray();
    countWritten?.(cursor.rowsWritten);
    return rows;
  };
  return {
    all: (statement, ...bindings) => execute(statement, bindings).map(toSqlRow),
    run: (statement, ...bindings) => {
      execute(statement, bindings);
      const [row] = execute("SELECT changes() AS changed", []);
      return Number(row?.["changed"] ?? 0);
    },
    transaction: (act) => storage.transactionSync(act),
  };
}
