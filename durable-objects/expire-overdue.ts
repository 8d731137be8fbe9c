/** Expiry: approvals and client calls whose time is over end by themselves, and the turn that waited goes on. Rules: AP12, DU23, DU25, DU26, CK6, CK11. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import { listOverdue } from "../src/storage/expiry.ts";
import { expireApproval } from "./approval-verbs.ts";
import { expireCall } from "./client-call-verbs.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { systemPorts } from "./system-ports.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** Each on its own: one that fails delays no other and is met again at the next alarm. */
export async function expireOverdue(parts: ConversationParts, queue: TurnQueue): Promise<void> {
  const { approvals, calls } = listOverdue(parts.store.sql, parts.store.now());
  const due = [
    ...approvals.map((approval) => async () => expireApproval(parts, approval)),
    ...calls.map((call) => async () => expireCall(parts, call)),
  ];
  for (const expire of due) {
    const resumed = await attempt(expire);
    if (resumed !== undefined) queue.resume(resumed);
  }
}

async function attempt(expire: () => Promise<TurnRecord | undefined>): Promise<TurnRecord | undefined> {
  try {
    return await expire();
  } catch (error) {
    systemPorts.log("error", "expiry_failed", { error: String(error) });
    return undefined;
  }
}
