/** Verbs to a turn under way: say something to it, cancel it. Rules: G11, LC26, LC28, CK13, T13, T16. */
import type { Problem } from "../src/contracts/errors.ts";
import type { InputPart } from "../src/contracts/message.ts";
import { type Result, failWith, succeed } from "../src/contracts/result.ts";
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { Caller } from "../src/contracts/verbs.ts";
import { type SteeringRefusal, addSteering } from "../src/storage/transactions/add-steering.ts";
import { askCancel } from "../src/storage/transactions/ask-cancel.ts";
import { isEnded } from "../src/wire/responses.ts";
import type { ConversationParts, Room } from "./conversation-parts.ts";
import { summarizeInput } from "./summarize-input.ts";

const refusals: Record<SteeringRefusal, Problem> = {
  unknown: { slug: "not-found", detail: "There is nothing at this address." },
  not_running: { slug: "turn-not-running", detail: "The turn has not begun, or it has ended." },
  full: {
    slug: "quota-exceeded",
    detail: "Too many messages wait for this turn.",
    members: { "violated-policies": ["queue"] },
  },
};

export function steer(
  { store, deployment }: ConversationParts,
  { principal: { subject, channel } }: Caller,
  { turn, input }: { readonly turn: string; readonly input: readonly InputPart[] },
): Result<TurnRecord, Problem> {
  const maxWaiting = deployment.config.limits.maxQueuedTurns;
  const added = addSteering(store, { turn, input, summary: summarizeInput(input), subject, channel, maxWaiting });
  return added.ok ? added : failWith(refusals[added.failure]);
}

/** Durable once it returns: no new call of the turn starts, and whatever runs it is told. */
export function cancel({ parts, queue }: Room, turn: string): Result<TurnRecord, Problem> {
  const asked = askCancel(parts.store, { turn, reason: "cancel" });
  parts.fanout.wake();
  queue.settle();
  if (asked === undefined) return failWith(refusals.unknown);
  if (isEnded(asked.state) && asked.state !== "cancelled") {
    return failWith({ slug: "turn-finished", detail: "The turn came to another end before." });
  }
  return succeed(asked);
}
