/** SqlPort: the three things storage asks of a SQLite, whether it is a Durable Object's or Node's. Rules: DU1, DU2, DU39. */

/** What may be bound or read. Numbers are finite; large texts are BLOBs of UTF-8. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = { readonly [column: string]: SqlValue };

export interface SqlPort {
  /** Runs one statement and reads it to the end, `INSERT … RETURNING` too: an unread cursor breaks the commit. */
  all(statement: string, ...bindings: readonly SqlValue[]): readonly SqlRow[];
  /** Runs one statement for its effect; answers whether it changed any row. */
  run(statement: string, ...bindings: readonly SqlValue[]): boolean;
  /** Runs `act` as one transaction, synchronously; nests. A throw rolls it back. */
  transaction<Value>(act: () => Value extends Promise<unknown> ? never : Value): Value;
}
