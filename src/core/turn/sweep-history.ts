/** The orphan sweep in a turn: what would make a request invalid goes before it is made, and the log says so. Rules: LC21. */
import { sweepOrphans } from "../history/orphan-sweep.ts";
import type { ToolLoop } from "./turn-context.ts";

/** Rows stay as they are: what is left out is left out of requests. */
export function sweepHistory(loop: ToolLoop): void {
  const { history, orphans } = sweepOrphans(loop.history);
  if (orphans.length === 0) return;
  loop.history.splice(0, loop.history.length, ...history);
  const { turn } = loop.identity;
  for (const { reason, callIds } of orphans) {
    loop.execution.ports.log("warn", "history_orphan_removed", { turn, reason, calls: callIds });
  }
}
