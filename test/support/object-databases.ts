/** The databases that conversation objects of a stopped server left on disk, opened for reading. */
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export interface StoredValue {
  readonly place: string;
  readonly bytes: number;
}

/** Every text and blob in every table of every object, with its size. */
export function readStoredValues(persistTo: string): readonly StoredValue[] {
  return globSync("**/*.sqlite", { cwd: persistTo }).flatMap((file) => {
    const database = new DatabaseSync(`${persistTo}/${file}`, { readOnly: true });
    try {
      return tablesOf(database).flatMap((table) => valuesOf(database, table));
    } finally {
      database.close();
    }
  });
}

const tablesOf = (database: DatabaseSync): readonly string[] =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));

function valuesOf(database: DatabaseSync, table: string): readonly StoredValue[] {
  const select = database.prepare(`SELECT * FROM "${table}"`);
  // The platform's own table of the alarm counts in nanoseconds.
  select.setReadBigInts(true);
  return select.all().flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) => {
      const place = `${table}.${column}`;
      if (typeof value === "string") return [{ place, bytes: Buffer.byteLength(value) }];
      return value instanceof Uint8Array ? [{ place, bytes: value.byteLength }] : [];
    }),
  );
}
