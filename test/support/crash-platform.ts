/** What outlives the instances of an object: its database, its one alarm, and what was ever durable of its log. Rules: DU24, DU49, HC2. */
import { DatabaseSync } from "node:sqlite";
import type { AlarmOptions } from "../../durable-objects/object-alarm.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { createMortalPort, type Life } from "./mortal.ts";
import { createNodeSqlPort } from "./node-sql-port.ts";

export class CrashPlatform {
  readonly #database = new DatabaseSync(":memory:");
  /** For whoever looks at the rows from outside. */
  readonly sql: SqlPort = createNodeSqlPort(this.#database);
  readonly observed = new Map<number, string>();
  /** Epoch milliseconds. */
  alarmAt: number | undefined;
  #pending: { readonly at: number | undefined } | undefined;

  portOf(life: Life): SqlPort {
    return createMortalPort(this.sql, life, (kept) => this.#settle(kept));
  }

  alarmStorageOf(life: Life): AlarmOptions["storage"] {
    return {
      setAlarm: async (at) => this.#setAlarm(life, Number(at)),
      getAlarm: async () => this.alarmAt ?? null,
      deleteAlarm: async () => this.#setAlarm(life, undefined),
    };
  }

  /** In a transaction it is kept or lost with the rows. */
  #setAlarm(life: Life, at: number | undefined): void {
    if (life.dead) return;
    this.#pending = { at };
    if (this.#database.isTransaction) return;
    this.#settle(true);
    life.commit();
  }

  #settle(kept: boolean): void {
    if (kept && this.#pending !== undefined) this.alarmAt = this.#pending.at;
    this.#pending = undefined;
    if (!kept) return;
    for (const row of this.sql.all("SELECT seq, body FROM events WHERE seq > ? ORDER BY seq", this.observed.size)) {
      this.observed.set(Number(row["seq"]), new TextDecoder().decode(row["body"] as Uint8Array));
    }
  }
}
