/** Tenant entry: who may enter a tenant's object, and how its rows are read and written. Rules: G16, SE17, DU43, DU48. */
import type { Problem } from "../src/contracts/errors.ts";
import { failWith, type Result, succeed } from "../src/contracts/result.ts";
import { tenantObjectName } from "../src/http/object-name.ts";
import { hasTables, migrate } from "../src/storage/migrations.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { readTenant, writeTenant } from "../src/storage/tenant/owner-store.ts";
import { tenantMigrations } from "../src/storage/tenant/tenant-schema.ts";
import { notFound } from "../src/wire/problem.ts";
import { createSqlPort } from "./sql-port.ts";
import { armNext } from "./tenant-deadlines.ts";

export class TenantEntry {
  readonly sql: SqlPort;
  readonly #ctx: DurableObjectState;
  /** What this instance armed last. One before it may have armed another. */
  #armed: number | undefined | "unknown" = "unknown";

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    this.sql = createSqlPort(ctx.storage);
    if (hasTables(this.sql))
      void ctx.blockConcurrencyWhile(async () => migrate(this.sql, Date.now(), tenantMigrations));
  }

  /** The stored owner; absent while nothing was ever written. */
  owner(): string | undefined {
    return hasTables(this.sql) ? readTenant(this.sql) : undefined;
  }

  /** `empty` answers for an object that nobody wrote to, since looking makes no tables. */
  read<Value>(tenant: string, empty: Value, look: (sql: SqlPort) => Value): Result<Value, Problem> {
    if (!this.#isOf(tenant)) return failWith(notFound);
    return succeed(hasTables(this.sql) ? look(this.sql) : empty);
  }

  /** One transaction: the rows, and the alarm that they call for. */
  write<Value>(tenant: string, act: (sql: SqlPort, now: number) => Value): Result<Value, Problem> {
    if (!this.#isOf(tenant)) return failWith(notFound);
    const now = Date.now();
    const { sql } = this;
    try {
      const { value } = sql.transaction(() => {
        if (!hasTables(sql)) migrate(sql, now, tenantMigrations);
        if (readTenant(sql) === undefined) writeTenant(sql, tenant);
        const acted = { value: act(sql, now) };
        armNext({ sql, setAlarm: this.setAlarm });
        return acted;
      });
      return succeed(value);
    } catch (error) {
      this.#armed = "unknown";
      throw error;
    }
  }

  /** Most writes leave the alarm where it is, and setting it is a row of its own. */
  readonly setAlarm = (at: number | undefined): void => {
    if (at === this.#armed) return;
    const { storage } = this.#ctx;
    void (at === undefined ? storage.deleteAlarm() : storage.setAlarm(at));
    this.#armed = at;
  };

  #isOf(tenant: string): boolean {
    const { name } = this.#ctx.id;
    if (name !== undefined && name !== tenantObjectName(tenant)) return false;
    const owner = this.owner();
    return owner === undefined || owner === tenant;
  }
}
