/** Who talks to a conversation that dies, and how it posts: with a key, so that nothing is accepted twice. Rules: G1. */
import type { Room } from "../../durable-objects/conversation-parts.ts";
import { startTurn } from "../../durable-objects/turn-verbs.ts";
import type { OnBusy } from "../../src/contracts/turn.ts";

export const owner = { tenant: "dev", conversation: "conversation-that-dies" };
const principal = { tenant: "dev", subject: "key:dev", channel: "http", scopes: [] };
export const caller = { principal, conversation: owner.conversation, requestId: "r" };

export function post({ parts, queue }: Room, input: string, onBusy?: OnBusy): void {
  const request = {
    input: [{ type: "text" as const, text: input }],
    narrowing: {},
    ...(onBusy === undefined ? {} : { onBusy }),
  };
  startTurn(parts, caller, { request, fingerprint: "f", idempotencyKey: input, defaultAgent: "ada" });
  queue.settle();
}
