/** A suspended turn runs again only to be cancelled by its loop, so nobody is told that it resumed. Rules: CK13, T14. */
import type { TurnContext } from "../store-context.ts";
import { moveTurn, readHold } from "../turn-store.ts";

/** True once: for a suspended turn whose cancel was asked for. */
export function resumeForCancel({ sql, turn }: TurnContext): boolean {
  return sql.transaction(
    () => readHold(sql, turn.n)?.cancelAsked === true && moveTurn(sql, turn, { from: "suspended", to: "running" }),
  );
}
