/** An empty tenant's database, with the clock that its tests go by. */
import { migrate } from "../../src/storage/migrations.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { tenantMigrations } from "../../src/storage/tenant/tenant-schema.ts";
import type { WithDatabase } from "./storage-fixture.ts";

/** In the middle of a day and of a month. */
export const noon = Date.UTC(2026, 10, 15, 12);

export const withTenantDatabase =
  (withDatabase: WithDatabase) =>
  (act: (sql: SqlPort) => void): Promise<void> =>
    withDatabase(({ sql }) => {
      migrate(sql, noon, tenantMigrations);
      act(sql);
    });
