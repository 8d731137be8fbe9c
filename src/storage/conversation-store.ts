/** What the object knows of its conversation: owner, agent, metadata, event floor. Rules: SE17, DU44. */
import type { JsonObject } from "../contracts/json.ts";
import { bodyName, loadBody, storeBody } from "./bodies.ts";
import { insertRow } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export interface ConversationRecord {
  readonly tenant: string;
  readonly conversation: string;
  readonly agent: string;
  readonly metadata?: JsonObject;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

function readMeta(sql: SqlPort, key: string): unknown {
  const [row] = sql.all("SELECT v FROM meta WHERE k = ?", key);
  return row && decodeJson(loadBody(sql, bodyName("meta", key, "v"), { row, column: "v" }));
}

export function readConversation(sql: SqlPort): ConversationRecord | undefined {
  return readMeta(sql, "conversation") as ConversationRecord | undefined;
}

/** The first one stands: answers the conversation that there is now. */
export function createConversation(sql: SqlPort, record: ConversationRecord): ConversationRecord {
  return sql.transaction(() => {
    const existing = readConversation(sql);
    if (existing !== undefined) return existing;
    const v = storeBody(sql, bodyName("meta", "conversation", "v"), encodeJson(record));
    insertRow(sql, "meta", { k: "conversation", v });
    return record;
  });
}

/** The highest `seq` that clean-up has removed; 0 while the log is whole. */
export function readEventFloor(sql: SqlPort): number {
  return (readMeta(sql, "event_floor") as number | undefined) ?? 0;
}
