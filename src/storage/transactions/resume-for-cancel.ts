/** A suspended turn runs again only to be cancelled by its loop, so nobody is told that it resumed. Rules: CK13, T14. */
import type { TurnContext } from "../store-context.ts";
import { moveTurn, readHold } from "../turn-store.ts";
import { beginHeartbeat } from "./heartbeat.ts";

/** True once: for a suspended turn whose cancel was asked for. */
export function resumeForCancel(context: TurnContext): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    if (readHold(sql, turn.n)?.cancelAsked !== true) return false;
    if (!moveTurn(sql, turn, { from: "suspended", to: "running" })) return false;
    beginHeartbeat(context, turn);
    return true;
  });
}
