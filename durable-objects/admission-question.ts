/** What a post asks of the tenant before it makes anything here. Rules: SE80, SE83, DU46, LC30. */
import type { RuntimeProfile } from "../src/contracts/agent-profile.ts";
import type { CountersignConfig } from "../src/contracts/config.ts";
import type { AdmissionRequest } from "../src/contracts/tenant.ts";
import type { Caller, CreateConversation, StartTurn } from "../src/contracts/verbs.ts";
import { wouldMakeTurn } from "../src/storage/transactions/accept-turn.ts";
import { firstTurnId, nextTurnId } from "../src/storage/turn-store.ts";
import type { Survey } from "./conversation-entry.ts";
import { budgetOf } from "./cost-meter.ts";

export interface Question {
  readonly request: AdmissionRequest;
  /** Without an answer the post is refused: nobody else knows whether its id was deleted. */
  readonly needsAnswer: boolean;
}

/** A post that would make a turn; what follows one, repeats one, or is refused anyway takes no place. */
export function askForTurn(
  { config, conversation }: Survey,
  { principal: { subject } }: Caller,
  { request, idempotencyKey, fingerprint, resumeAfter }: StartTurn,
): Question | undefined {
  const agent = config.agents.get(request.agent ?? conversation?.record.agent ?? config.defaultAgent);
  const runtime = agent && config.runtimeProfiles.get(agent.runtimeProfile);
  if (resumeAfter !== undefined || agent === undefined || runtime === undefined || !agent.enabled) return undefined;
  const entry = { agent: conversation?.record.agent ?? agent.alias, runtime };
  if (conversation === undefined)
    return { request: toRequest(config, { ...entry, turn: firstTurnId }), needsAnswer: true };
  const { store } = conversation.parts;
  const post = {
    subject,
    fingerprint,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    onBusy: request.onBusy ?? runtime.onBusy,
    maxQueued: config.limits.maxQueuedTurns,
  };
  if (!wouldMakeTurn(store, post)) return undefined;
  return { request: toRequest(config, { ...entry, turn: nextTurnId(store.sql) }), needsAnswer: false };
}

/** A conversation without a turn. Its id was minted for it, so that no other had it. */
export function askForConversation(
  { config, conversation }: Survey,
  { agent: alias }: CreateConversation,
): Question | undefined {
  const agent = config.agents.get(alias ?? config.defaultAgent);
  if (conversation !== undefined || agent === undefined || !agent.enabled) return undefined;
  return { request: toRequest(config, { agent: agent.alias }), needsAnswer: false };
}

function toRequest(
  { limits }: CountersignConfig,
  { agent, turn, runtime }: { readonly agent: string; readonly turn?: string; readonly runtime?: RuntimeProfile },
): AdmissionRequest {
  const { turnsPerMinute, maxRunningTurns, maxQueuedTurns, maxPendingApprovals, maxConversations } = limits.tenant;
  const budget = runtime && budgetOf(runtime);
  return {
    agent,
    ...(turn === undefined ? {} : { turn }),
    limits: { turnsPerMinute, maxRunningTurns, maxQueuedTurns, maxPendingApprovals, maxConversations },
    ...(budget === undefined ? {} : { budget }),
  };
}
