/** T7 and T17 without a person: an approval that nobody can or may use any more ends, and its call with it unless another is asked. Rules: AP5, AP10, AP12, G10, CK11. */
import { findApproval } from "../approval-store.ts";
import { policyFact } from "../audit-facts.ts";
import { appendAudit } from "../audit-store.ts";
import { askNext, type RequestEvent } from "./ask-next.ts";
import type { StoreContext } from "../store-context.ts";
import type { EndCall } from "./decide-approval.ts";
import { writeApprovalEnd } from "./end-approval.ts";
import { resumeTurn } from "./resume-turn.ts";
import { writeUnrun } from "./settle-unrun.ts";

export interface ApprovalLapse {
  readonly approvalId: string;
  /** `void`: the definition that was to be approved is no longer the tool's. `unreachable`: its channel erred or abstained. */
  readonly as: "expired" | "unreachable" | "void";
  readonly endCall: EndCall;
  /** For a request that has somebody else to go to. */
  readonly toEvent: RequestEvent;
}

const provenanceOf = { expired: "expired", unreachable: "unreachable", void: "superseded" } as const;

/** Absent, with nothing written, when it is not pending, or is to expire before its time. `resumed`: the caller runs the turn. */
export function lapseApproval(
  context: StoreContext,
  { approvalId, as, endCall, toEvent }: ApprovalLapse,
): { readonly resumed: boolean } | undefined {
  return context.sql.transaction(() => {
    const stored = findApproval(context.sql, approvalId);
    if (stored?.approval.state !== "pending") return undefined;
    if (as === "expired" && stored.approval.expiresAt > context.now()) return undefined;
    if (as === "void") appendAudit(context, policyFact(stored, "definition_changed"));
    const call = writeApprovalEnd(context, stored, { state: as, provenance: provenanceOf[as] });
    if (as !== "void" && askNext(context, stored, { call, toEvent })) return { resumed: false };
    writeUnrun(context, { turn: stored.turn }, endCall({ ...stored.approval, state: as }, call));
    return { resumed: resumeTurn(context, { turn: stored.turn, reason: "approval" }) };
  });
}
