/** The alarm of an object in workerd: armed with its rows, never lost, gone when there is nothing to wait for. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { ConversationEntry, entryHooks } from "../../../durable-objects/conversation-entry.ts";
import { createSqlPort } from "../../../durable-objects/sql-port.ts";
import { conversationObjectName } from "../../../src/http/object-name.ts";
import { insertRow } from "../../../src/storage/rows.ts";

const minute = 60_000;
/** Between reading the clock here and there. */
const slack = 5000;

let conversations = 0;

/** A conversation whose first turn has ended. */
async function openConversation() {
  conversations += 1;
  const id = `conv_with_an_alarm_${conversations}`;
  const path = `http://localhost/v1/conversations/${id}`;
  const headers = { authorization: "Bearer ck_dev_test", "content-type": "application/json" };
  const turn = await exports.default.fetch(`${path}/turns`, {
    method: "POST",
    headers,
    body: JSON.stringify({ input: "hello" }),
  });
  expect(turn.status).toBe(200);
  const stub = env.CONVERSATIONS.getByName(conversationObjectName("dev", id));
  const read = async (tail: string): Promise<Record<string, unknown>> =>
    await (await exports.default.fetch(`${path}${tail}`, { headers })).json();
  const alarm = () => runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
  // Its tenant hears of the turn a moment later.
  await expect.poll(alarm).toBeNull();
  return {
    stub,
    read,
    alarm,
    sql: (act: (sql: ReturnType<typeof createSqlPort>) => void) =>
      runInDurableObject(stub, (_object, { storage }) => act(createSqlPort(storage))),
  };
}

const poison = { kind: "of_another_release", ref: "r", tries: 0, parked: 0 };

test("[DU45] an idle object has no alarm", async () => {
  const { alarm } = await openConversation();
  expect(await alarm()).toBeNull();
});

test("[G2][G10] a queued turn whose starter died is started by the alarm, with no further traffic", async () => {
  const { stub, sql, read, alarm } = await openConversation();
  await sql((port) => {
    port.run("DELETE FROM steps");
    port.run("DELETE FROM messages WHERE seq > 1");
    port.run("UPDATE turns SET state = 'queued', finished_ms = NULL, last_seq = NULL");
    insertRow(port, "deadlines", { ...poison, kind: "start", ref: "trn_1", at_ms: Date.now() });
  });
  await runInDurableObject(stub, (_object, { storage }) => storage.setAlarm(Date.now() + minute));
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  await expect.poll(async () => (await read("/turns/trn_1"))["state"]).toBe("completed");
  await expect.poll(alarm).toBeNull();
});

test("[DU25] a deadline that fails is put off, and the alarm is set for then", async () => {
  const { stub, sql, alarm } = await openConversation();
  await sql((port) => insertRow(port, "deadlines", { ...poison, at_ms: 0 }));
  await runInDurableObject(stub, (_object, { storage }) => storage.setAlarm(Date.now() + minute));
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const left = ((await alarm()) ?? 0) - Date.now();
  expect(left).toBeGreaterThan(5000 - slack);
  expect(left).toBeLessThanOrEqual(5000);
});

test("[DU23][DU24] a handler that cannot read its rows does not throw, and rings again in a minute", async () => {
  const { stub, sql, alarm } = await openConversation();
  await sql((port) => port.run("DROP TABLE deadlines"));
  await runInDurableObject(stub, async (object, { storage }) => {
    await storage.deleteAlarm();
    for (const retryCount of [0, 5]) await object.alarm?.({ retryCount, isRetry: retryCount > 0, scheduledTime: 0 });
  });
  expect(Math.abs(((await alarm()) ?? 0) - Date.now() - minute)).toBeLessThan(slack);
});

test("[G10][DU45] an object that boots arms the alarm for what its rows wait for, and none for nothing", async () => {
  const { stub, sql, read, alarm } = await openConversation();
  const at = Date.now() + 10 * minute;
  await evictDurableObject(stub);
  await read("");
  expect(await alarm()).toBeNull();
  await sql((port) => insertRow(port, "deadlines", { ...poison, at_ms: at }));
  await evictDurableObject(stub);
  await read("");
  expect(await alarm()).toBe(at);
});

test("[DU23][G10] under a faulty configuration the alarm rings again in a minute, until there is a sound one", async () => {
  const { stub, sql, alarm } = await openConversation();
  await sql((port) => insertRow(port, "deadlines", { ...poison, kind: "start", ref: "trn_1", at_ms: 0 }));
  const error = vi.spyOn(console, "error").mockReturnValue();
  await runInDurableObject(stub, async (_object, state) => {
    const faulty = { ...env, RECEIPT_KEYS: "no keys" };
    await new ConversationEntry(state, faulty, entryHooks).ring(0);
  });
  expect(error.mock.calls.join()).toContain("config_fault");
  error.mockRestore();
  expect(Math.abs(((await alarm()) ?? 0) - Date.now() - minute)).toBeLessThan(slack);
});

test("[DU24] the alarm is kept or lost with the rows of its transaction", async () => {
  const { stub } = await openConversation();
  await runInDurableObject(stub, async (_object, { storage }) => {
    const sql = createSqlPort(storage);
    const at = Date.now() + minute;
    expect(() =>
      sql.transaction(() => {
        void storage.setAlarm(at);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(await storage.getAlarm()).toBeNull();
    sql.transaction(() => void storage.setAlarm(at));
    expect(await storage.getAlarm()).toBe(at);
  });
});
