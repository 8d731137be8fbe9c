/** The tenant's turns, as far as they have been heard of: what counts against its quotas. Rules: SE83, DU42. */
import type { TurnStanding } from "../../contracts/tenant.ts";
import { insertRow, numberAt, textAt } from "../rows.ts";
import type { SqlPort } from "../sql-port.ts";
import { joinRef, putDeadline, removeDeadline } from "./deadline-store.ts";
import { leaseMs } from "./reservation-store.ts";
import { keepForSweep } from "./sweep.ts";
import { openTurnsTerm } from "./tenant-schema.ts";
import { countTurn } from "./usage-store.ts";

export interface TurnKey {
  readonly conversation: string;
  readonly turn: string;
}

const admissionOf = ({ conversation, turn }: TurnKey) =>
  ({ kind: "admission", ref: joinRef(conversation, turn) }) as const;

const findTurn = (sql: SqlPort, { conversation, turn }: TurnKey) =>
  sql.all("SELECT state, seq FROM turns WHERE conversation = ? AND turn = ?", conversation, turn)[0];

export const isKnownTurn = (sql: SqlPort, key: TurnKey): boolean => findTurn(sql, key) !== undefined;

/** Let in, and not heard of yet: it takes a place for a lease's time. */
export function admitTurn(sql: SqlPort, { conversation, turn }: TurnKey, now: number): void {
  insertRow(sql, "turns", { conversation, turn, state: "admitted", seq: 0, closed_ms: null });
  putDeadline(sql, admissionOf({ conversation, turn }), now + leaseMs);
}

/** Nothing was heard of it in its time, so it never began. */
export function forgetAdmission(sql: SqlPort, { conversation, turn }: TurnKey): void {
  removeDeadline(sql, admissionOf({ conversation, turn }));
  sql.run("DELETE FROM turns WHERE conversation = ? AND turn = ? AND state = 'admitted'", conversation, turn);
}

export interface TurnFact {
  readonly turn: string;
  readonly agent: string;
  readonly state: TurnStanding;
  readonly seq: number;
  readonly at: number;
}

/** Its first fact counts it; of all its facts the one with the highest `seq` stands. */
export function recordTurn(sql: SqlPort, conversation: string, fact: TurnFact): void {
  const { turn, agent, state, seq, at } = fact;
  const known = findTurn(sql, { conversation, turn });
  if (known !== undefined && numberAt(known, "seq") >= seq) return;
  if (known === undefined || textAt(known, "state") === "admitted") countTurn(sql, agent, at);
  removeDeadline(sql, admissionOf({ conversation, turn }));
  sql.run(
    "INSERT OR REPLACE INTO turns (conversation, turn, state, seq, closed_ms) VALUES (?, ?, ?, ?, ?)",
    conversation,
    turn,
    state,
    seq,
    state === "ended" ? at : null,
  );
  if (state === "ended") keepForSweep(sql, at);
}

/** How many of the tenant's turns are under way, those just let in included, and how many wait their turn. */
export function countOpenTurns(sql: SqlPort): { readonly running: number; readonly queued: number } {
  const counts = new Map(
    sql
      .all(`SELECT state, count(*) AS turns FROM turns WHERE ${openTurnsTerm} GROUP BY state`)
      .map((row) => [textAt(row, "state"), numberAt(row, "turns")]),
  );
  const of = (state: string): number => counts.get(state) ?? 0;
  return { running: of("admitted") + of("running"), queued: of("queued") };
}
