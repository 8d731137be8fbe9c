/** Activation at the start of a turn, of what its filter groups always load. Rules: TS10, TS15. */
import type { Activation } from "../../contracts/ports.ts";
import { addActivated } from "../activated-store.ts";
import type { TurnContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

export function activateTools(context: TurnContext, activations: readonly Activation[]): void {
  const { sql, turn } = context;
  sql.transaction(() => {
    requireHold(context);
    addActivated(sql, turn.n, activations);
  });
}
