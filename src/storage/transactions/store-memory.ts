/** A memory tool's own write, while its call runs: nothing else of a turn is ever remembered. Rules: TC33, HI12. */
import type { MemoryEntry } from "../../contracts/tool.ts";
import { addMemory } from "../memory-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

/** `replaced`: an entry of the same key was there. */
export function storeMemory(context: TurnContext, agent: string, entry: MemoryEntry): { readonly replaced: boolean } {
  const { sql } = context;
  return sql.transaction(() => {
    requireHold(context);
    return { replaced: addMemory(sql, agent, entry) };
  });
}
