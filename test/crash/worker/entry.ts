/** Entry of the test build: the shipped Worker, whose objects end at the point that their name says, and are looked after every second. Rules: DU49. */
import { type EntryHooks, entryHooks } from "../../../durable-objects/conversation-entry.ts";
import worker, { ConversationObject as ShippedConversation } from "../../../src/worker.ts";
import type { SqlPort } from "../../../src/storage/sql-port.ts";
import { createCrashingPort } from "./crash-port.ts";
import { pointOf } from "./crash-points.ts";

export { TenantObject } from "../../../src/worker.ts";

/** `kill`: the object stays as it ended until somebody kills the server. `abort`: it is thrown out of memory. */
type CrashMode = "kill" | "abort";

/** Names of objects that ended in this process: each does it once. */
const ended = new Set<string>();

/** What was committed before the point is durable when the point is announced. */
async function end(ctx: DurableObjectState, mode: CrashMode): Promise<void> {
  const durable = ctx.storage.sync();
  // Whoever waits for the fence of a call never passes it.
  ctx.storage.sync = () => new Promise(() => undefined);
  // Nor does it put off its alarm, as it would while it is rung in vain.
  ctx.storage.setAlarm = () => Promise.reject(new Error("Durable Object reset because its code was updated."));
  await durable;
  console.error(`crashpoint ${ctx.id.name}`);
  if (mode === "abort") ctx.abort("crashpoint");
}

function openSql(ctx: DurableObjectState, mode: CrashMode | undefined, onRollback: () => void): SqlPort {
  const sql = entryHooks.openSql(ctx.storage, onRollback);
  const { name = "" } = ctx.id;
  const point = pointOf(name);
  if (mode === undefined || point === undefined || ended.has(name)) return sql;
  return createCrashingPort(sql, point, () => {
    ended.add(name);
    void end(ctx, mode);
  });
}

export class ConversationObject extends ShippedConversation {
  /** Called while this is still being made: what it needs has to lie outside of the class. */
  protected override hooks(): EntryHooks {
    const { CRASH_MODE: mode } = this.env as { readonly CRASH_MODE?: CrashMode };
    return { ...entryHooks, heartbeatMs: 1000, openSql: (_storage, onRollback) => openSql(this.ctx, mode, onRollback) };
  }
}

export default worker;
