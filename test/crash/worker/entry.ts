/** Entry of the test build: the shipped Worker, whose objects end at the point that their name says, and are looked after every second. Rules: DU49. */
import type { EntryHooks } from "../../../durable-objects/conversation-entry.ts";
import worker, { ConversationObject as ShippedConversation } from "../../../src/worker.ts";
import { createCrashingPort } from "./crash-port.ts";
import { pointOf } from "./crash-points.ts";

export { TenantObject } from "../../../src/worker.ts";

/** `kill`: the object stays as it ended until somebody kills the server. `abort`: it is thrown out of memory. */
type CrashMode = "kill" | "abort";

/** Names of objects that ended in this process: each does it once. */
const ended = new Set<string>();

export class ConversationObject extends ShippedConversation {
  protected override hooks(): EntryHooks {
    const shipped = super.hooks();
    return { ...shipped, heartbeatMs: 1000, openSql: (storage) => this.#openSql(shipped.openSql(storage)) };
  }

  #openSql(sql: ReturnType<EntryHooks["openSql"]>): ReturnType<EntryHooks["openSql"]> {
    const { CRASH_MODE: mode } = this.env as { readonly CRASH_MODE?: CrashMode };
    const { name = "" } = this.ctx.id;
    const point = pointOf(name);
    if (mode === undefined || point === undefined || ended.has(name)) return sql;
    return createCrashingPort(sql, point, () => void this.#end(name, mode));
  }

  /** What was committed before the point is durable when the point is announced. */
  async #end(name: string, mode: CrashMode): Promise<void> {
    ended.add(name);
    await this.ctx.storage.sync();
    console.error(`crashpoint ${name}`);
    if (mode === "abort") this.ctx.abort("crashpoint");
  }
}

export default worker;
