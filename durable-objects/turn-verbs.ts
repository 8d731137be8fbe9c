/** Turn verbs: accept a turn, read one, page through them, wait for one's end. Rules: G1, LC28, SS11, T1. */
import type { Problem } from "../src/contracts/errors.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { AcceptedTurn, Caller, StartTurn, TurnView } from "../src/contracts/verbs.ts";
import { readOpenRequests } from "../src/storage/open-requests.ts";
import { findIdem } from "../src/storage/idem-store.ts";
import { type AcceptRefusal, acceptTurn } from "../src/storage/transactions/accept-turn.ts";
import { findTurn, findTurnOfEvent, listTurns, nextTurnId } from "../src/storage/turn-store.ts";
import { notFound } from "../src/wire/problem.ts";
import { isEnded } from "../src/wire/responses.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";

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

const otherBody: Problem = { slug: "idempotency-mismatch", detail: "Another body made the turn of this event." };

/** What accepting a turn takes of a conversation's parts. */
type AcceptingParts = Pick<ConversationParts, "store" | "fanout"> & {
  readonly deployment: Pick<ConversationParts["deployment"], "config">;
};

/** Writes the turn and everything that belongs to its acceptance, or nothing. `agent` is the conversation's own. */
export function startTurn(
  { store, deployment, fanout }: AcceptingParts,
  { principal }: Caller,
  start: StartTurn & { readonly defaultAgent: string },
): Result<AcceptedTurn, Problem> {
  const { request, idempotencyKey, fingerprint, resumeAfter } = start;
  const agent = deployment.config.agents.get(request.agent ?? start.defaultAgent);
  if (agent === undefined || !agent.enabled) return failWith(unknownAgent);
  const { subject, channel } = principal;
  if (resumeAfter !== undefined) {
    if (idempotencyKey === undefined) return joinByEvent(store, { subject, seq: resumeAfter, fingerprint });
    if (findIdem(store.sql, { principal: subject, key: idempotencyKey }, store.now()) === undefined) {
      return failWith(resumeMismatch);
    }
  }
  const runtime = deployment.config.runtimeProfiles.get(agent.runtimeProfile);
  const accepted = acceptTurn(store, {
    id: nextTurnId(store.sql),
    agent: agent.alias,
    entry: "http",
    channel,
    subject,
    narrowing: request.narrowing,
    input: request.input,
    summary: summarizeInput(request.input),
    onBusy: request.onBusy ?? runtime?.onBusy ?? "queue",
    maxQueued: deployment.config.limits.maxQueuedTurns,
    fingerprint,
    ...(request.metadata === undefined ? {} : { metadata: request.metadata }),
    ...(request.clientTools === undefined ? {} : { clientTools: request.clientTools }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  if (!accepted.ok) return failWith(refusals[accepted.failure]);
  fanout.wake();
  return accepted;
}

interface RepeatedPost {
  readonly subject: string;
  /** The event that the client read last. */
  readonly seq: number;
  readonly fingerprint: string;
}

/** A post without a key is known by the event it read last and by its body; another principal's turn is as good as none. */
function joinByEvent({ sql }: ConversationParts["store"], post: RepeatedPost): Result<AcceptedTurn, Problem> {
  const stored = findTurnOfEvent(sql, post.seq);
  if (stored?.fingerprint === undefined || stored.turn.subject !== post.subject) return failWith(resumeMismatch);
  if (stored.fingerprint !== post.fingerprint) return failWith(otherBody);
  return succeed({ turn: stored.turn, after: stored.firstSeq - 1, repeated: true });
}

export function readTurn({ store: { sql } }: Pick<ConversationParts, "store">, id: string): TurnView | undefined {
  const stored = findTurn(sql, id);
  if (stored === undefined) return undefined;
  const { turn, summary } = stored;
  return {
    turn,
    ...(summary === undefined ? {} : { summary }),
    ...(turn.state === "suspended" ? { openRequests: readOpenRequests(sql, turn.n) } : {}),
  };
}

export function pageTurns(
  { store }: ConversationParts,
  page: { readonly before?: number; readonly limit: number },
): readonly TurnView[] {
  return listTurns(store.sql, page).map(({ turn, summary }) => (summary === undefined ? { turn } : { turn, summary }));
}

/** The turn as it is when it has ended or waits for somebody, or when the time is up. */
export async function awaitTurn(parts: ConversationParts, id: string, waitSecs: number): Promise<TurnView | undefined> {
  const until = Date.now() + waitSecs * 1000;
  for (;;) {
    const view = readTurn(parts, id);
    const left = until - Date.now();
    if (view === undefined || isAtRest(view.turn) || left <= 0) return view;
    await parts.fanout.next(left);
  }
}

const isAtRest = ({ state }: TurnRecord): boolean => isEnded(state) || state === "suspended";

/** Wraps what may not be there. */
export const orNotFound = <Value>(value: Value | undefined): Result<Value, Problem> =>
  value === undefined ? failWith(notFound) : succeed(value);
