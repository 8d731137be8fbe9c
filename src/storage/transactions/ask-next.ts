/** Where one channel did not decide, the next is asked about the same call: an approval of its own, with its own time. Rules: AP10, AP12. */
import type { ApprovalRequest } from "../../contracts/approval.ts";
import type { TurnEvent } from "../../contracts/turn-event.ts";
import { insertApproval, type StoredApproval } from "../approval-store.ts";
import { markAskedAgain } from "../call-moves.ts";
import type { StoredCall } from "../call-store.ts";
import { addDeadlines } from "../deadline-store.ts";
import { insertEvents } from "../event-store.ts";
import type { StoreContext } from "../store-context.ts";

export type RequestEvent = (request: ApprovalRequest, call: StoredCall) => TurnEvent;

/** For use inside the transaction that ended the first. False, with nothing written, when there is nobody else. */
export function askNext(
  context: StoreContext,
  { turn, approval }: StoredApproval,
  asking: { readonly call: StoredCall; readonly toEvent: RequestEvent },
): boolean {
  const { state: _ended, decided: _decided, fallback, ...asked } = approval;
  if (fallback === undefined) return false;
  const { callId } = asked;
  const expiresAt = context.now() + fallback.timeoutSecs * 1000;
  const request = { ...asked, approvalId: `${asked.approvalId}_next`, channel: fallback.channel, expiresAt };
  if (!markAskedAgain(context.sql, callId, request.approvalId)) throw new Error(`call ${callId} awaits no approval`);
  insertApproval(context.sql, turn, request);
  addDeadlines(context, [{ kind: "approval", ref: request.approvalId, at: expiresAt }]);
  insertEvents(context, { turn }, [asking.toEvent(request, asking.call)]);
  return true;
}
