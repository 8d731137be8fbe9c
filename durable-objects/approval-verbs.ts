/** Approval verbs: list what waits, decide it once, let it expire. Rules: AP6, AP7, AP10, AP12, AP14, AP18, SE22, SE23, CK6. */
import type { Approval, DecisionInput } from "../src/contracts/approval.ts";
import type { Problem } from "../src/contracts/errors.ts";
import type { UnrunCall } from "../src/contracts/turn-journal.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { ApprovalView, Caller } from "../src/contracts/verbs.ts";
import { requestedBody } from "../src/core/turn/ask-approval.ts";
import { endAskedCall } from "../src/core/turn/end-asked-call.ts";
import { cleanNote, cleanReplacement } from "../src/policy/replacement.ts";
import { type StoredApproval, listApprovals } from "../src/storage/approval-store.ts";
import type { StoredCall } from "../src/storage/call-store.ts";
import { type DecisionRefusal, decideApproval } from "../src/storage/transactions/decide-approval.ts";
import { contextOfCall } from "../src/storage/transactions/place-event.ts";
import { type ApprovalLapse, lapseApproval } from "../src/storage/transactions/lapse-approval.ts";
import { findActiveTurn, findTurnByNumber } from "../src/storage/turn-store.ts";
import { notFound } from "../src/wire/problem.ts";
import { approvalDecided, approvalExpired, approvalVoid, wrongChannel } from "../src/wire/turn-problems.ts";
import { knobsOf } from "./client-call-verbs.ts";
import type { ConversationParts, Room } from "./conversation-parts.ts";

export function pageApprovals(
  { store: { sql } }: ConversationParts,
  page: { readonly before?: number; readonly limit: number },
): readonly ApprovalView[] {
  return listApprovals(sql, page).map(toView);
}

const toView = ({ n, approval }: StoredApproval): ApprovalView => ({ ...approval, n });

/** The first decision stands; who made it and where it came from is the authenticated caller's, never the body's. */
export function decide(
  { parts, queue, caller: { principal } }: Room & { readonly caller: Caller },
  { approvalId, input }: { readonly approvalId: string; readonly input: DecisionInput },
): Result<ApprovalView, Problem> {
  const { store, fanout } = parts;
  const decided = decideApproval(store, {
    approvalId,
    input: cleanInput(input),
    by: { subject: principal.subject, channel: principal.channel },
    endCall: (approval, call) => endCall(parts, approval, call),
  });
  if (!decided.ok) return failWith(problemOf(decided.failure));
  fanout.wake();
  const { stored, resumed } = decided.value;
  const turn = findTurnByNumber(store.sql, stored.turn)?.turn;
  if (resumed && turn !== undefined) queue.resume(turn);
  return succeed(toView(stored));
}

function cleanInput({ decision, replacement, note }: DecisionInput): DecisionInput {
  return {
    decision,
    ...(replacement === undefined ? {} : { replacement: cleanReplacement(replacement) }),
    ...(note === undefined ? {} : { note: cleanNote(note) }),
  };
}

function problemOf(refusal: DecisionRefusal): Problem {
  switch (refusal.kind) {
    case "unknown":
      return notFound;
    case "wrong_channel":
      return wrongChannel;
    case "expired":
      return approvalExpired(refusal.approval);
    case "void":
      return approvalVoid(refusal.approval);
    case "decided":
      return approvalDecided(refusal.approval);
    default:
      return refusal satisfies never;
  }
}

/** The turn that goes on now, if any. */
export function expireApproval(parts: ConversationParts, approvalId: string): TurnRecord | undefined {
  const lapsed = lapse(parts, { approvalId, as: "expired" });
  return lapsed?.resumed === true ? findActiveTurn(parts.store.sql)?.turn : undefined;
}

/** True when its turn goes on now. */
export const voidApproval = (parts: ConversationParts, approvalId: string): boolean =>
  lapse(parts, { approvalId, as: "void" })?.resumed === true;

/** Ends an approval that nobody decided, as `lapseApproval` does. */
function lapse(
  parts: ConversationParts,
  how: Pick<ApprovalLapse, "approvalId" | "as">,
): ReturnType<typeof lapseApproval> {
  const lapsed = lapseApproval(parts.store, {
    ...how,
    endCall: (ended, call) => endCall(parts, ended, call),
    toEvent: (request, call) => ({
      ...contextOfCall(parts.store.sql, requireTurn(parts, call), call),
      ...requestedBody(request, call.prepared?.args ?? {}),
    }),
  });
  parts.fanout.wake();
  return lapsed;
}

function endCall(parts: ConversationParts, approval: Approval, stored: StoredCall): UnrunCall {
  const turn = requireTurn(parts, stored);
  return endAskedCall({
    approval,
    call: stored.call,
    args: stored.prepared?.args ?? {},
    context: contextOfCall(parts.store.sql, turn, stored),
    limit: knobsOf(parts, turn, stored.frame).maxToolResultChars,
  });
}

function requireTurn({ store: { sql } }: ConversationParts, { call, turn: n }: StoredCall): TurnRecord {
  const turn = findTurnByNumber(sql, n)?.turn;
  if (turn === undefined) throw new Error(`${call.callId} has no turn`);
  return turn;
}
