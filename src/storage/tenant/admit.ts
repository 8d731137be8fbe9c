/** Admission: whether a tenant may begin one more turn or conversation, and the place it then takes. Rules: SE80, SE83, DU46. */
import type { AdmissionRequest } from "../../contracts/tenant.ts";
import { numberAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { countOpenApprovals } from "./approval-inbox.ts";
import { findBudgetFull } from "./budget-store.ts";
import { isDeleted, isListed, touchConversation } from "./conversation-index.ts";
import { countConversations } from "./owner-store.ts";
import { admitTurn, countOpenTurns, isKnownTurn } from "./turn-roster.ts";

/** As `violated-policies` names them. */
export type QuotaPolicy = "turns" | "queue" | "approvals" | "conversations" | "budget";

export type Admission =
  | { readonly kind: "admitted" }
  /** The id belonged to a conversation that was deleted. */
  | { readonly kind: "deleted" }
  /** `until` is the epoch milliseconds from which it is worth asking again, where that is known. */
  | { readonly kind: "refused"; readonly policy: QuotaPolicy; readonly until?: number };

const minuteMs = 60_000;

/** A refusal leaves no row; the same turn again is admitted and takes no second place. */
export function admit(
  sql: SqlPort,
  conversation: string,
  { request, now }: { readonly request: AdmissionRequest; readonly now: number },
): Admission {
  const { turn, agent } = request;
  if (isDeleted(sql, conversation)) return { kind: "deleted" };
  if (turn !== undefined && isKnownTurn(sql, { conversation, turn })) return { kind: "admitted" };
  const refused =
    judgeConversation(sql, conversation, request) ?? (turn === undefined ? undefined : judgeTurn(sql, request, now));
  if (refused !== undefined) return { kind: "refused", ...refused };
  touchConversation(sql, { conversation, agent, at: now });
  if (turn !== undefined) {
    admitTurn(sql, { conversation, turn }, now);
    countMinute(sql, now);
  }
  return { kind: "admitted" };
}

interface Refusal {
  readonly policy: QuotaPolicy;
  readonly until?: number;
}

function judgeConversation(sql: SqlPort, conversation: string, { limits }: AdmissionRequest): Refusal | undefined {
  if (isListed(sql, conversation) || countConversations(sql) < limits.maxConversations) return undefined;
  return { policy: "conversations" };
}

function judgeTurn(sql: SqlPort, { limits, budget }: AdmissionRequest, now: number): Refusal | undefined {
  if (turnsOfMinute(sql, now) >= limits.turnsPerMinute) return { policy: "turns", until: minuteOf(now + minuteMs) };
  const { running, queued } = countOpenTurns(sql);
  if (running >= limits.maxRunningTurns) return { policy: "turns" };
  if (isOver(queued, limits.maxQueuedTurns)) return { policy: "queue" };
  if (isOver(countOpenApprovals(sql), limits.maxPendingApprovals)) return { policy: "approvals" };
  const until = budget && findBudgetFull(sql, { amount: 0, limits: budget, now });
  return until === undefined ? undefined : { policy: "budget", until };
}

/** A limit of 0 stops nothing while there is nothing: the turn that asks may never wait. */
const isOver = (count: number, limit: number): boolean => count > 0 && count >= limit;

const minuteOf = (now: number): number => now - (now % minuteMs);

/** Turns let in since the clock's minute began. */
function turnsOfMinute(sql: SqlPort, now: number): number {
  const [row] = sql.all("SELECT turns FROM minute WHERE id = 1 AND start_ms = ?", minuteOf(now));
  return row === undefined ? 0 : numberAt(row, "turns");
}

function countMinute(sql: SqlPort, now: number): void {
  const turns = turnsOfMinute(sql, now) + 1;
  sql.run("INSERT OR REPLACE INTO minute (id, start_ms, turns) VALUES (1, ?, ?)", minuteOf(now), turns);
}
