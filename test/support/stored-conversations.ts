/** The conversations that a server keeps on disk, read from outside of it: nobody is woken by that. Rules: DU49. */
import { globSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { readConversation } from "../../src/storage/conversation-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { createNodeSqlPort } from "./node-sql-port.ts";

/** `act` gets the rows of each conversation by its id; they are as they were at one moment. */
export function readConversations<Value>(
  persistTo: string,
  act: (sql: SqlPort, conversation: string) => Value,
): ReadonlyMap<string, Value> {
  const read = new Map<string, Value>();
  for (const file of globSync("**/*.sqlite", { cwd: persistTo })) {
    const database = new DatabaseSync(`${persistTo}/${file}`, { readOnly: true, timeout: 5000 });
    try {
      const sql = createNodeSqlPort(database);
      const conversation = isConversation(sql) ? readConversation(sql)?.conversation : undefined;
      if (conversation !== undefined) read.set(conversation, act(sql, conversation));
    } finally {
      database.close();
    }
  }
  return read;
}

/** A tenant's object has no calls. */
const isConversation = (sql: SqlPort): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE name = 'calls'").length > 0;
