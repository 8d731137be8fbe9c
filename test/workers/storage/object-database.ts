/** A new Durable Object's SQLite for each test, behind the port that production uses. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createSqlPort } from "../../../durable-objects/sql-port.ts";
import type { WithDatabase } from "../../support/storage-fixture.ts";

export const withObjectDatabase: WithDatabase = (act) =>
  runInDurableObject(env.CONVERSATIONS.get(env.CONVERSATIONS.newUniqueId()), (_object, { storage }) => {
    let rows = 0;
    const sql = createSqlPort(storage, (written) => {
      rows += written;
    });
    return act({ sql, written: () => rows });
  });
