/** Tenant entry: who may enter a tenant's object, and how its rows are read and written. Rules: G16, SE17, DU43, DU48. */
import type { Problem } from "../src/contracts/errors.ts";
import { failWith, type Result, succeed } from "../src/contracts/result.ts";
import { tenantObjectName } from "../src/http/object-name.ts";
import { hasTables, migrate } from "../src/storage/migrations.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { findNextDeadline } from "../src/storage/tenant/deadline-store.ts";
import { readTenant, writeTenant } from "../src/storage/tenant/owner-store.ts";
import { tenantMigrations } from "../src/storage/tenant/tenant-schema.ts";
import { notFound } from "../src/wire/problem.ts";
import { ObjectAlarm } from "./object-alarm.ts";
import { createSqlPort } from "./sql-port.ts";

export class TenantEntry {
  readonly sql: SqlPort;
  readonly #ctx: DurableObjectState;
  readonly alarm: ObjectAlarm;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    this.sql = createSqlPort(ctx.storage, undefined, () => this.alarm.forget());
    this.alarm = new ObjectAlarm({ storage: ctx.storage, next: () => this.#nextDeadline() });
    if (hasTables(this.sql)) void ctx.blockConcurrencyWhile(() => this.#boot());
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
    const { value } = sql.transaction(() => {
      if (!hasTables(sql)) migrate(sql, now, tenantMigrations);
      if (readTenant(sql) === undefined) writeTenant(sql, tenant);
      const acted = { value: act(sql, now) };
      this.alarm.set(findNextDeadline(sql));
      return acted;
    });
    return succeed(value);
  }

  async #boot(): Promise<void> {
    migrate(this.sql, Date.now(), tenantMigrations);
    await this.alarm.restore();
  }

  #nextDeadline(): number | undefined {
    return hasTables(this.sql) ? findNextDeadline(this.sql) : undefined;
  }

  #isOf(tenant: string): boolean {
    const { name } = this.#ctx.id;
    if (name !== undefined && name !== tenantObjectName(tenant)) return false;
    const owner = this.owner();
    return owner === undefined || owner === tenant;
  }
}
