/** Turn verbs: accept a turn, read one, page through them, wait for one's end. Rules: G1, LC28, SS11, T1. */
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { AcceptedTurn, Caller, StartTurn, TurnView } from "../src/contracts/verbs.ts";
import { findIdem } from "../src/storage/idem-store.ts";
import { type AcceptRefusal, acceptTurn } from "../src/storage/transactions/accept-turn.ts";
import { findTurn, listTurns, nextTurnNumber } from "../src/storage/turn-store.ts";
import { isEnded } from "../src/wire/responses.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";
import { turnEvent } from "./turn-runner.ts";

const refusals: Record<AcceptRefusal, Problem> = {
  mismatch: { slug: "idempotency-mismatch", detail: "This key was used before with another body." },
  busy: { slug: "turn-busy", detail: "Another turn of this conversation has not ended." },
  queue_full: {
    slug: "quota-exceeded",
    detail: "Too many turns of this conversation are waiting.",
    members: { "violated-policies": ["queue"] },
  },
};
export const unknownAgent: Problem = { slug: "unknown-agent", detail: "There is no enabled agent of this name." };
export const resumeMismatch: Problem = {
  slug: "resume-mismatch",
  detail: "No turn was found that this request could go on with.",
};

/** Writes the turn and everything that belongs to its acceptance, or nothing. `agent` is the conversation's own. */
export function startTurn(
  { store, deployment, fanout }: ConversationParts,
  { principal }: Caller,
  start: StartTurn & { readonly defaultAgent: string },
): Result<AcceptedTurn, Problem> {
  const { request, idempotency, resumeAfter } = start;
  const agent = deployment.config.agents.get(request.agent ?? start.defaultAgent);
  if (agent === undefined || !agent.enabled) return failWith(unknownAgent);
  const { subject, channel } = principal;
  if (resumeAfter !== undefined && !isKnownKey(store, { subject, key: idempotency?.key })) {
    return failWith(resumeMismatch);
  }
  const id = `trn_${nextTurnNumber(store.sql)}`;
  const runtime = deployment.config.runtimeProfiles.get(agent.runtimeProfile);
  const event = turnEvent(
    { id, agent: agent.alias, channel },
    { type: "turn_accepted", input: summarizeInput(request.input), entry: "http" },
  );
  const accepted = acceptTurn(store, {
    id,
    agent: agent.alias,
    entry: "http",
    channel,
    subject,
    narrowing: request.narrowing,
    input: request.input,
    onBusy: request.onBusy ?? (runtime?.onBusy === "reject" ? "reject" : "queue"),
    maxQueued: deployment.config.limits.maxQueuedTurns,
    event,
    ...(request.metadata === undefined ? {} : { metadata: request.metadata }),
    ...(idempotency === undefined ? {} : { idempotency }),
  });
  if (!accepted.ok) return failWith(refusals[accepted.failure]);
  fanout.wake();
  return accepted;
}

function isKnownKey(
  { sql, now }: ConversationParts["store"],
  { subject, key }: { readonly subject: string; readonly key: string | undefined },
): boolean {
  return key !== undefined && findIdem(sql, { principal: subject, key }, now()) !== undefined;
}

export function readTurn({ store }: ConversationParts, id: string): TurnView | undefined {
  const stored = findTurn(store.sql, id);
  if (stored === undefined) return undefined;
  return stored.summary === undefined ? { turn: stored.turn } : { turn: stored.turn, summary: stored.summary };
}

export function pageTurns(
  { store }: ConversationParts,
  page: { readonly before?: number; readonly limit: number },
): readonly TurnView[] {
  return listTurns(store.sql, page).map(({ turn, summary }) => (summary === undefined ? { turn } : { turn, summary }));
}

/** The turn as it is when it has ended, or when the time is up. */
export async function awaitTurn(parts: ConversationParts, id: string, waitSecs: number): Promise<TurnView | undefined> {
  const until = Date.now() + waitSecs * 1000;
  for (;;) {
    const view = readTurn(parts, id);
    const left = until - Date.now();
    if (view === undefined || hasEnded(view.turn) || left <= 0) return view;
    await parts.fanout.next(left);
  }
}

export const hasEnded = ({ state }: TurnRecord): boolean => isEnded(state);

/** Wraps what may not be there. */
export const orNotFound = <Value>(value: Value | undefined): Result<Value, Problem> =>
  value === undefined ? failWith({ slug: "not-found", detail: "There is nothing at this address." }) : succeed(value);
