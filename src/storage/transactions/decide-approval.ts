/** T7, a person's decision: the first one stands, binds one call, and may be the last that a turn waited for. Rules: AP6, AP7, AP14, AP18, SE22, SE23, DU16. */
import type { Approval, DecisionInput, DecisionRecord } from "../../contracts/approval.ts";
import type { UnrunCall } from "../../contracts/turn-journal.ts";
import { failWith, type Result, succeed } from "../../contracts/result.ts";
import { addGrant } from "../allowlist-store.ts";
import { findApproval, listOpenApprovals, type StoredApproval } from "../approval-store.ts";
import { policyFact } from "../audit-facts.ts";
import { appendAudit } from "../audit-store.ts";
import { markReady } from "../call-moves.ts";
import type { StoredCall } from "../call-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurnByNumber } from "../turn-store.ts";
import { writeApprovalEnd } from "./end-approval.ts";
import { resumeTurn } from "./resume-turn.ts";
import { writeUnrun } from "./settle-unrun.ts";

/** What becomes of a call that is not to run: its outcome and both its events. */
export type EndCall = (approval: Approval, call: StoredCall) => UnrunCall;

export interface ApprovalDecision {
  readonly approvalId: string;
  /** Its texts cleaned already. */
  readonly input: DecisionInput;
  readonly by: { readonly subject: string; readonly channel: string };
  /** Asked for `deny` and `replace` alone. */
  readonly endCall: EndCall;
}

export interface DecisionEffect {
  readonly stored: StoredApproval;
  /** The same decision stood already: nothing was written. */
  readonly repeated: boolean;
  /** The turn runs again, and it is for the caller to run it. */
  readonly resumed: boolean;
}

/** `decided`: another decision stands. `void`: cancelled, superseded, unreachable, drifted. `wrong_channel`: another channel was asked. */
export type DecisionRefusal =
  | { readonly kind: "unknown" }
  | { readonly kind: "decided" | "expired" | "void" | "wrong_channel"; readonly approval: Approval };

const isSame = (stands: DecisionInput, input: DecisionInput): boolean =>
  stands.decision === input.decision && stands.replacement === input.replacement;

function findRefusal(context: StoreContext, stored: StoredApproval, { input, by }: ApprovalDecision) {
  const { approval } = stored;
  const own = findTurnByNumber(context.sql, stored.turn)?.turn.channel;
  if (approval.channel !== own && approval.channel !== by.channel) return { kind: "wrong_channel", approval } as const;
  switch (approval.state) {
    case "pending":
      return approval.expiresAt <= context.now() ? ({ kind: "expired", approval } as const) : undefined;
    case "decided":
      return approval.decided && isSame(approval.decided, input) ? undefined : ({ kind: "decided", approval } as const);
    case "expired":
      return { kind: "expired", approval } as const;
    case "cancelled":
    case "superseded":
    case "unreachable":
    case "void":
      return { kind: "void", approval } as const;
  }
}

/** "always" answers what else is open for the same tool, unless a rule asks each time or it is too late. */
function listCovered(context: StoreContext, { approval: made }: StoredApproval): StoredApproval[] {
  return listOpenApprovals(context.sql).filter(
    ({ approval }) =>
      approval.agent === made.agent &&
      approval.tool === made.tool &&
      approval.definitionHash === made.definitionHash &&
      !approval.alwaysAsks &&
      approval.expiresAt > context.now(),
  );
}

function writeDecision(
  context: StoreContext,
  stored: StoredApproval,
  { decided, endCall }: { decided: DecisionRecord; endCall: EndCall },
): void {
  const call = writeApprovalEnd(context, stored, { state: "decided", decided, provenance: decided.provenance });
  const { decision } = decided;
  const runs = decision === "approve" || decision === "always";
  if (!runs)
    writeUnrun(context, { turn: stored.turn }, endCall({ ...stored.approval, state: "decided", decided }, call));
  else if (!markReady(context.sql, call.call.callId)) throw new Error(`call ${call.call.callId} awaits no approval`);
}

/** A refusal and a repeat write nothing. One that comes at the deadline or later is refused whether or not expiry was written. */
export function decideApproval(
  context: StoreContext,
  order: ApprovalDecision,
): Result<DecisionEffect, DecisionRefusal> {
  const { sql } = context;
  const { approvalId, input, by, endCall } = order;
  return sql.transaction((): Result<DecisionEffect, DecisionRefusal> => {
    const stored = findApproval(sql, approvalId);
    if (stored === undefined) return failWith({ kind: "unknown" });
    const refusal = findRefusal(context, stored, order);
    if (refusal !== undefined) return failWith(refusal);
    if (stored.approval.state === "decided") return succeed({ stored, repeated: true, resumed: false });
    const person = { provenance: "operator", decidedBy: by.subject, channel: by.channel } as const;
    const decided: DecisionRecord = { ...input, ...person, decidedAt: context.now() };
    writeDecision(context, stored, { decided, endCall });
    if (input.decision === "always") {
      if (addGrant(sql, stored.approval, approvalId)) appendAudit(context, policyFact(stored, "always"));
      for (const other of listCovered(context, stored)) writeDecision(context, other, { decided, endCall });
    }
    const resumed = resumeTurn(context, { turn: stored.turn, reason: "approval" });
    return succeed({ stored: findApproval(sql, approvalId) ?? stored, repeated: false, resumed });
  });
}
