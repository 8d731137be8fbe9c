/** A provider refused a tool by name: no later request of this conversation has it. Rules: SC8. */
import type { BarredTool } from "../../contracts/turn-journal.ts";
import { addBarred } from "../barred-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

export function barTool(context: TurnContext, barred: BarredTool): void {
  const { sql } = context;
  sql.transaction(() => {
    requireHold(context);
    addBarred(sql, barred);
  });
}
