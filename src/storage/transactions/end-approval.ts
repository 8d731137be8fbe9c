/** One approval ends and the log says how; what becomes of its call is for the transaction around it. Rules: AP8, AP18, EV7. */
import type { ApprovalProvenance } from "../../contracts/approval.ts";
import { type ApprovalEnding, endApproval, type StoredApproval } from "../approval-store.ts";
import { decisionFact } from "../audit-facts.ts";
import { appendAudit } from "../audit-store.ts";
import { findCall, type StoredCall } from "../call-store.ts";
import { removeDeadline } from "../deadline-store.ts";
import { insertEvents } from "../event-store.ts";
import type { StoreContext } from "../store-context.ts";
import { findTurnByNumber } from "../turn-store.ts";
import { contextOfCall } from "./place-event.ts";

export type ProvenApprovalEnding = ApprovalEnding & { readonly provenance: ApprovalProvenance };

/** For use inside a transaction that has read the approval as pending. Answers its call. */
export function writeApprovalEnd(
  context: StoreContext,
  stored: StoredApproval,
  ending: ProvenApprovalEnding,
): StoredCall {
  const { sql } = context;
  const { approvalId, callId, tool } = stored.approval;
  const call = findCall(sql, callId);
  const turn = findTurnByNumber(sql, stored.turn)?.turn;
  if (call === undefined || turn === undefined) throw new Error(`approval ${approvalId} has no call`);
  if (!endApproval(sql, stored, ending)) throw new Error(`approval ${approvalId} has ended before`);
  appendAudit(context, decisionFact(context, stored, ending));
  removeDeadline(context, { kind: "approval", ref: approvalId });
  const { provenance, decided } = ending;
  const by = decided === undefined ? {} : { decidedBy: decided.decidedBy };
  const decision = decided?.decision ?? null;
  const body = { type: "approval_decided", approvalId, callId, tool, decision, provenance, ...by } as const;
  insertEvents(context, { turn: stored.turn }, [{ ...contextOfCall(sql, turn, call), ...body }]);
  return call;
}
