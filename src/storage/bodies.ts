/** Bodies: blobs that lie in their row while they are small, in the overflow table when they are not. Rules: DU1, DU2. */
import { maxValueBytes } from "./bindings.ts";
import { deleteChunks, joinBytes, readChunks, writeChunks } from "./chunks.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";

/** Where a body belongs: table, key and column, joined. Each body is written once under its name. */
export const bodyName = (table: string, key: string | number, column: string): string => `${table}/${key}/${column}`;

/** SQL for the bytes of a body of the row in hand, wherever they lie; 0 for none. `key` is the table's key column. */
export const bodySizeSql = (table: string, key: string, column: string): string =>
  `coalesce(length(${column}), (SELECT sum(length(bytes)) FROM overflow WHERE owner = '${bodyName(table, `' || ${key} || '`, column)}'), 0)`;

/** What goes into the body's own column: the bytes, or null once they lie in the overflow table. */
export function storeBody(sql: SqlPort, name: string, bytes: Uint8Array): Uint8Array | null {
  if (bytes.byteLength <= maxValueBytes) return bytes;
  writeChunks(sql, "overflow", { owner: name, bytes });
  return null;
}

/** Whether a body was written at all is for the row's state to say: a null column means overflow, or an empty body. */
export function loadBody(sql: SqlPort, name: string, { row, column }: { row: SqlRow; column: string }): Uint8Array {
  const inline = row[column];
  if (inline instanceof Uint8Array) return inline;
  const whole = { owner: name, start: 0, end: Number.POSITIVE_INFINITY };
  return joinBytes([...readChunks(sql, "overflow", whole)]);
}

/** The overflow part of a body whose column is being emptied. */
export function dropBody(sql: SqlPort, name: string): void {
  deleteChunks(sql, "overflow", name);
}
