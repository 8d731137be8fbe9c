/** Definition drift: what was asked, and what was said for good, about a definition that the tool no longer has. Rules: T17, TS18, AP5, SE28. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import { type Grant, listGrants, removeGrant } from "../src/storage/allowlist-store.ts";
import { listOpenApprovals } from "../src/storage/approval-store.ts";
import { findActiveTurn } from "../src/storage/turn-store.ts";
import { voidApproval } from "./approval-verbs.ts";
import { toolsOfAgent } from "./agent-tools.ts";
import type { ConversationParts } from "./conversation-parts.ts";

/** Hash of the definition that a name has for an agent now; absent where it has none. */
type HashOf = (of: { readonly agent: string; readonly tool: string }) => string | undefined;

/**
 * To be called whenever definitions may have changed; writes nothing where none did. A tool that is not there now is left alone: it
 * cannot be called, and may come back as it was. Answers the turn that goes on now, if any.
 */
export function settleDrift(parts: ConversationParts, hashOf: HashOf = readHashes(parts)): TurnRecord | undefined {
  const { sql } = parts.store;
  const hasDrifted = (consent: Grant): boolean =>
    (hashOf(consent) ?? consent.definitionHash) !== consent.definitionHash;
  for (const grant of listGrants(sql)) if (hasDrifted(grant)) removeGrant(sql, grant);
  const drifted = listOpenApprovals(sql).filter(({ approval }) => hasDrifted(approval));
  const resumed = drifted.map(({ approval }) => voidApproval(parts, approval.approvalId)).includes(true);
  return resumed ? findActiveTurn(sql)?.turn : undefined;
}

/** By the configuration; the tools of an agent are put together when the first of them is asked for. */
function readHashes({ deployment }: ConversationParts): HashOf {
  const registries = new Map<string, ReturnType<typeof toolsOfAgent>>();
  const registryOf = (alias: string) => {
    const agent = deployment.config.agents.get(alias);
    if (agent !== undefined && !registries.has(alias)) registries.set(alias, toolsOfAgent(deployment, agent, {}));
    return registries.get(alias);
  };
  return ({ agent, tool }) => {
    const resolution = registryOf(agent)?.resolve(tool);
    return resolution !== undefined && "tool" in resolution ? resolution.tool.definitionHash : undefined;
  };
}
