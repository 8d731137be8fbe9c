/** What a tenant's object answers, on the wire: its conversations, its inbox, its usage. Rules: G16, DU42. */
import type { ConversationEntry, InboxEntry, Page, UsageReport } from "../contracts/tenant.ts";
import { encodeApproval } from "./approvals.ts";
import { encodeTime } from "./iso-time.ts";
import { conversationPath } from "./paths.ts";
import { encodeNames } from "./snake-case.ts";

type Document = Record<string, unknown>;

const nothingOpaque: ReadonlySet<string> = new Set();

/** Where the next page begins; null on the last. The numbers of these lists have gaps. */
const nextBefore = ({ items, more }: Page<{ readonly n: number }>): number | null =>
  more ? (items.at(-1)?.n ?? null) : null;

export function encodeConversationPage(page: Page<ConversationEntry>): Document {
  return {
    conversations: page.items.map(({ conversation, agent, status, createdAt, activeAt }) => ({
      conversation,
      agent,
      status,
      created_at: encodeTime(createdAt),
      active_at: encodeTime(activeAt),
      links: { self: conversationPath(conversation) },
    })),
    next_before: nextBefore(page),
  };
}

/** Each approval as the route of its conversation shows it. */
export function encodeInboxPage(page: Page<InboxEntry>): Document {
  return {
    approvals: page.items.map(({ conversation, approval }) => encodeApproval(conversation, approval)),
    next_before: nextBefore(page),
  };
}

const encode = (value: object): Document => encodeNames(value, nothingOpaque);

export function encodeUsage({ from, to, lines, today, month }: UsageReport): Document {
  return { from, to, usage: lines.map(encode), budget: { today: encode(today), month: encode(month) } };
}

export const encodeDeletion = (conversation: string): Document => ({ conversation, deleted: true });
