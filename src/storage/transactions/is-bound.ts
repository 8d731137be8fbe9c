/** Whether a call that waited is still the one that was judged. Rules: G9, AP5, SE21. */
import { findApproval } from "../approval-store.ts";
import type { PreparedCall, StoredCall } from "../call-store.ts";
import type { SqlPort } from "../sql-port.ts";

type Judged = Pick<PreparedCall, "definitionHash" | "argsDigest">;

const isSame = (one: Judged, other: Judged): boolean =>
  one.definitionHash === other.definitionHash && one.argsDigest === other.argsDigest;

/**
 * The same definition and arguments as when it was stored, and where a person had to be asked, an approval of exactly these for
 * exactly this call. Whoever asks has computed `now` from the row's own bytes. Single use follows from the call's own state.
 */
export function isBound(sql: SqlPort, { call, prepared, ruling }: StoredCall, now: Judged): boolean {
  if (prepared === undefined || ruling === undefined || !isSame(prepared, now)) return false;
  if (ruling.requirement !== "prompt") return true;
  const approval = ruling.approvalId === undefined ? undefined : findApproval(sql, ruling.approvalId)?.approval;
  const decision = approval?.decided?.decision;
  return (
    approval !== undefined &&
    (decision === "approve" || decision === "always") &&
    approval.callId === call.callId &&
    isSame(approval, now)
  );
}
