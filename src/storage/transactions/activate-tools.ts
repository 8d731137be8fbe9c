/** Activation at the start of a turn, of what its filter groups always load. Rules: TS10, TS15. */
import type { Activation } from "../../contracts/turn-journal.ts";
import { addActivated } from "../activated-store.ts";
import { keyOf } from "../step-store.ts";
import type { FrameContext } from "../store-context.ts";
import { requireHold } from "./turn-hold.ts";

export function activateTools(context: FrameContext, activations: readonly Activation[]): void {
  const { sql } = context;
  sql.transaction(() => {
    requireHold(context);
    addActivated(sql, keyOf(context), activations);
  });
}
