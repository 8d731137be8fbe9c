/** Takes facts of a conversation into the tenant's index, roster and inbox; order and repetition make no difference. Rules: DU42, DU46. */
import type { Projection } from "../../contracts/tenant.ts";
import type { SqlPort } from "../sql-port.ts";
import { closeApproval, openApproval } from "./approval-inbox.ts";
import { hearOnce, isDeleted, settleStatus, touchConversation } from "./conversation-index.ts";
import { recordTurn } from "./turn-roster.ts";
import { countTokens } from "./usage-store.ts";

/** What still comes from a deleted conversation is let fall. */
export function projectFacts(sql: SqlPort, conversation: string, facts: readonly Projection[]): void {
  if (isDeleted(sql, conversation)) return;
  for (const fact of facts) projectFact(sql, conversation, fact);
  settleStatus(sql, conversation);
}

function projectFact(sql: SqlPort, conversation: string, fact: Projection): void {
  const { seq, at } = fact;
  switch (fact.kind) {
    case "turn":
      touchConversation(sql, { conversation, agent: fact.agent, at });
      return recordTurn(sql, conversation, fact);
    case "usage":
      touchConversation(sql, { conversation, agent: fact.agent, at });
      return hearOnce(sql, conversation, seq) ? countTokens(sql, fact) : undefined;
    case "approval_opened":
      touchConversation(sql, { conversation, agent: fact.approval.agent, at });
      return openApproval(sql, conversation, fact);
    case "approval_closed": {
      const { approvalId, state } = fact;
      return closeApproval(sql, { conversation, approvalId, seq }, { state, at });
    }
    default:
      // A later release may tell of more (DU40).
      return fact satisfies never;
  }
}
