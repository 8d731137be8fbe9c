/** Verbs to a turn under way: say something to it, cancel it. Rules: G11, LC26, LC28, CK13, T13, T16. */
import type { Problem } from "../src/contracts/errors.ts";
import type { InputPart } from "../src/contracts/message.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { Caller } from "../src/contracts/verbs.ts";
import type { CancelAsker } from "../src/storage/audit-facts.ts";
import { type SteeringRefusal, addSteering } from "../src/storage/transactions/add-steering.ts";
import { askCancel } from "../src/storage/transactions/ask-cancel.ts";
import { notFound } from "../src/wire/problem.ts";
import { isEnded } from "../src/wire/responses.ts";
import { turnFinished, turnNotRunning } from "../src/wire/turn-problems.ts";
import type { ConversationParts, Room } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";

const tooManyMessages: Problem = {
  slug: "quota-exceeded",
  detail: "Too many messages wait for this turn.",
  members: { "violated-policies": ["queue"] },
};

function problemOf(refusal: SteeringRefusal): Problem {
  switch (refusal.kind) {
    case "unknown":
      return notFound;
    case "full":
      return tooManyMessages;
    case "not_running":
      return turnNotRunning(refusal.state);
    default:
      return refusal satisfies never;
  }
}

export function steer(
  { store, deployment }: ConversationParts,
  { principal: { subject, channel } }: Caller,
  { turn, input }: { readonly turn: string; readonly input: readonly InputPart[] },
): Result<TurnRecord, Problem> {
  const maxWaiting = deployment.config.limits.maxQueuedTurns;
  const added = addSteering(store, { turn, input, summary: summarizeInput(input), subject, channel, maxWaiting });
  return added.ok ? added : failWith(problemOf(added.failure));
}

/** Durable once it returns: no new call of the turn starts, and whatever runs it is told. */
export function cancel({ parts, queue }: Room, turn: string, by?: CancelAsker): Result<TurnRecord, Problem> {
  const asked = askCancel(parts.store, { turn, reason: "cancel", ...(by === undefined ? {} : { by }) });
  parts.fanout.wake();
  queue.settle();
  if (asked === undefined) return failWith(notFound);
  if (isEnded(asked.state) && asked.state !== "cancelled") return failWith(turnFinished(asked.state));
  return succeed(asked);
}
