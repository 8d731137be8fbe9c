/** The end of T6 and T10: no frame runs any more and something is open, so the turn lets go of its loops. Rules: CK1, CK2, DI14, DU4, DU5, EV7. */
import type { OpenItems } from "../../contracts/turn-journal.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { listOpenApprovals } from "../approval-store.ts";
import { insertEvents } from "../event-store.ts";
import { listOfferedCalls } from "../open-requests.ts";
import type { SqlPort } from "../sql-port.ts";
import type { TurnContext } from "../store-context.ts";
import { moveTurn } from "../turn-store.ts";
import { endHeartbeat } from "./heartbeat.ts";
import { requireHold } from "./turn-hold.ts";

/** In the order in which they were asked and offered. */
function readOpenItems(sql: SqlPort): OpenItems | undefined {
  const asked = listOpenApprovals(sql);
  const offered = listOfferedCalls(sql).toSorted((one, other) => one.call.index - other.call.index);
  const callIds = [...asked.map(({ approval }) => approval.callId), ...offered.map(({ call }) => call.callId)];
  if (callIds.length === 0) return undefined;
  const reason = asked.length > 0 ? "approval" : "client_tool";
  return { approvalIds: asked.map(({ approval }) => approval.approvalId), callIds, reason };
}

/** False, with nothing written, when nothing is open, or when a cancel was asked for: nobody would resume a turn behind it. */
export function suspendTurn(context: TurnContext, toEvent: (open: OpenItems) => TurnEvent): boolean {
  const { sql, turn } = context;
  return sql.transaction(() => {
    const { cancelAsked, lastSeq: after } = requireHold(context);
    const open = cancelAsked ? undefined : readOpenItems(sql);
    if (open === undefined) return false;
    insertEvents(context, { turn: turn.n, after }, [toEvent(open)]);
    endHeartbeat(context, turn);
    return moveTurn(sql, turn, { from: "running", to: "suspended" });
  });
}
