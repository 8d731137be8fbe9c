/** Rows in and out: one way to insert, one to compare-and-set, typed reading of columns. Rules: DU4. */
import type { SqlPort, SqlRow, SqlValue } from "./sql-port.ts";

export function insertRow(sql: SqlPort, table: string, row: SqlRow): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  sql.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(row));
}

/** The next `n` of a table that counts its rows from 1. */
export function nextNumber(sql: SqlPort, table: string): number {
  const [row] = sql.all(`SELECT coalesce(max(n), 0) + 1 AS n FROM ${table}`);
  return row === undefined ? 1 : numberAt(row, "n");
}

export interface RowUpdate {
  readonly table: string;
  readonly set: SqlRow;
  /** Equalities that must all hold; `null` never does. */
  readonly where: SqlRow;
}

/** False: the condition let no row through, so somebody else was first. */
export function updateRows(sql: SqlPort, { table, set, where }: RowUpdate): boolean {
  const assignments = Object.keys(set).map((column) => `${column} = ?`);
  const conditions = Object.keys(where).map((column) => `${column} = ?`);
  return sql.run(
    `UPDATE ${table} SET ${assignments.join(", ")} WHERE ${conditions.join(" AND ")}`,
    ...Object.values(set),
    ...Object.values(where),
  );
}

function columnOf(row: SqlRow, column: string): SqlValue {
  const value = row[column];
  if (value === undefined) throw new TypeError(`the row has no column ${column}`);
  return value;
}

export function textAt(row: SqlRow, column: string): string {
  const value = columnOf(row, column);
  if (typeof value !== "string") throw new TypeError(`${column} is no text`);
  return value;
}

export function optionalTextAt(row: SqlRow, column: string): string | undefined {
  return columnOf(row, column) === null ? undefined : textAt(row, column);
}

export function numberAt(row: SqlRow, column: string): number {
  const value = columnOf(row, column);
  if (typeof value !== "number") throw new TypeError(`${column} is no number`);
  return value;
}

export function optionalNumberAt(row: SqlRow, column: string): number | undefined {
  return columnOf(row, column) === null ? undefined : numberAt(row, column);
}

export function bytesAt(row: SqlRow, column: string): Uint8Array {
  const value = columnOf(row, column);
  if (!(value instanceof Uint8Array)) throw new TypeError(`${column} is no blob`);
  return value;
}
