/** The outbox: what a conversation has yet to tell its tenant, read from its log behind a cursor, so that nothing is kept twice. Rules: DU42, DU45. */
import type { Projection, TurnStanding } from "../contracts/tenant.ts";
import { findApproval } from "./approval-store.ts";
import { type ClosedCharge, listClosedCharges } from "./charge-store.ts";
import { factTypes, loadEventBody } from "./event-store.ts";
import { removeOutbox } from "./outbox-deadline.ts";
import { bytesAt, numberAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import { findTurnByNumber } from "./turn-store.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

/** One message's worth, oldest first. `upTo` is the `seq` of the last event that was read for it. */
export interface Outgoing {
  readonly facts: readonly Projection[];
  readonly charges: readonly ClosedCharge[];
  readonly upTo: number;
}

const mostFacts = 100;
const mostCharges = 20;
const cursor = "told";

function readCursor(sql: SqlPort): number {
  const [row] = sql.all("SELECT v FROM meta WHERE k = ?", cursor);
  return row === undefined ? 0 : (decodeJson(bytesAt(row, "v")) as number);
}

/** Absent when the tenant has heard all there is; then there is no deadline either. */
export function takeOutgoing(context: StoreContext): Outgoing | undefined {
  return context.sql.transaction(() => {
    const outgoing = readOutgoing(context.sql);
    if (outgoing === undefined) removeOutbox(context);
    return outgoing;
  });
}

function readOutgoing(sql: SqlPort): Outgoing | undefined {
  const after = readCursor(sql);
  const rows = sql.all(
    `SELECT seq, turn, type, at_ms, body FROM events WHERE seq > ? AND type IN (${factTypes}) ORDER BY seq LIMIT ?`,
    after,
    mostFacts,
  );
  const last = rows.at(-1);
  const charges = listClosedCharges(sql, mostCharges);
  if (last === undefined && charges.length === 0) return undefined;
  const facts = rows.flatMap((row) => toFact(sql, row) ?? []);
  return { facts, charges, upTo: last === undefined ? after : numberAt(last, "seq") };
}

/** The tenant has them: they are not said again. */
export const confirmFacts = (sql: SqlPort, { upTo }: Outgoing): boolean =>
  sql.run("INSERT OR REPLACE INTO meta (k, v) VALUES (?, ?)", cursor, encodeJson(upTo));

/** Names of members as the log has them for good (the event table of the HTTP interface). */
interface LoggedFact {
  readonly agent?: unknown;
  readonly approval_id?: unknown;
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cached_tokens?: unknown;
  readonly reasoning_tokens?: unknown;
}

const standings: Readonly<Record<string, TurnStanding>> = {
  turn_accepted: "queued",
  turn_started: "running",
  turn_resumed: "running",
  turn_suspended: "suspended",
  turn_finished: "ended",
};

function toFact(sql: SqlPort, row: SqlRow): Projection | undefined {
  const type = textAt(row, "type");
  const when = { seq: numberAt(row, "seq"), at: numberAt(row, "at_ms") };
  const state = standings[type];
  if (state !== undefined) {
    const turn = findTurnByNumber(sql, numberAt(row, "turn"))?.turn;
    return turn && { ...when, kind: "turn", turn: turn.id, agent: turn.agent, state };
  }
  const logged = JSON.parse(loadEventBody(sql, row)) as LoggedFact;
  return type === "usage" ? { ...when, ...toUsage(logged) } : toApproval(sql, logged, when);
}

const toUsage = (logged: LoggedFact) => ({
  kind: "usage" as const,
  agent: String(logged.agent),
  tokens: {
    inputTokens: Number(logged.input_tokens),
    outputTokens: Number(logged.output_tokens),
    cachedTokens: Number(logged.cached_tokens),
    reasoningTokens: Number(logged.reasoning_tokens),
  },
});

/** As its row has it now: of one that was decided meanwhile the end alone is told. */
function toApproval(
  sql: SqlPort,
  { approval_id: id }: LoggedFact,
  when: { readonly seq: number; readonly at: number },
): Projection | undefined {
  const stored = typeof id === "string" ? findApproval(sql, id) : undefined;
  if (stored === undefined) return undefined;
  const { n, approval } = stored;
  const { approvalId, state } = approval;
  if (state === "pending") return { ...when, kind: "approval_opened", approval: { ...approval, n } };
  return { ...when, kind: "approval_closed", approvalId, state };
}
