/** Steps: one row per model request, holding its response until that is part of history. Rules: HI2, DU21. */
import type { AssistantEntry } from "../contracts/message.ts";
import { type TurnUsage, addUsage, noUsage } from "../contracts/turn.ts";
import { bodyName, dropBody, loadBody, storeBody } from "./bodies.ts";
import { bytesAt, insertRow, numberAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export type StepState = "pending" | "committed" | "appended" | "abandoned";

/** What waits on the row: the assistant message, and the ids of its calls in slot order. */
export interface StepResponse {
  readonly message: AssistantEntry;
  readonly callIds: readonly string[];
}
export interface StepKey {
  readonly turn: number;
  readonly step: number;
}
export interface StoredStep extends StepKey {
  readonly state: StepState;
  readonly attempt: number;
  /** Last event before the request was made. */
  readonly openedSeq: number;
  /** While `committed`. */
  readonly response?: StepResponse;
  /** The response lies in the overflow table. */
  readonly overflowed: boolean;
}

const responseName = ({ turn, step }: StepKey): string => bodyName("steps", `${turn}.${step}`, "response");

export function insertStep(
  sql: SqlPort,
  step: StepKey & { readonly attempt: number; readonly openedSeq: number },
): void {
  const { turn, step: number, attempt, openedSeq } = step;
  insertRow(sql, "steps", { turn, step: number, state: "pending", attempt, opened_seq: openedSeq });
}

function toStoredStep(sql: SqlPort, row: SqlRow): StoredStep {
  const key = { turn: numberAt(row, "turn"), step: numberAt(row, "step") };
  const state = textAt(row, "state") as StepState;
  const overflowed = state === "committed" && row["response"] === null;
  const [attempt, openedSeq] = [numberAt(row, "attempt"), numberAt(row, "opened_seq")];
  const stored = { ...key, state, attempt, openedSeq, overflowed };
  if (state !== "committed") return stored;
  const body = loadBody(sql, responseName(key), { row, column: "response" });
  return { ...stored, response: decodeJson(body) as StepResponse };
}

/** The step that the turn is at; earlier ones are `appended` or `abandoned`. */
export function findLastStep(sql: SqlPort, turn: number): StoredStep | undefined {
  const [row] = sql.all("SELECT * FROM steps WHERE turn = ? ORDER BY step DESC LIMIT 1", turn);
  return row && toStoredStep(sql, row);
}

/** Another request for the same step; what the one before streamed is behind `openedSeq`. */
export function reopenStep(sql: SqlPort, key: StepKey, again: { attempt: number; openedSeq: number }): boolean {
  const set = { attempt: again.attempt, opened_seq: again.openedSeq };
  const where = { turn: key.turn, step: key.step, state: "pending" };
  return updateRows(sql, { table: "steps", set, where });
}

export interface StepCommit extends StepResponse {
  readonly usage?: TurnUsage;
}

/** Pending to committed; false when the step is not pending. */
export function commitStep(sql: SqlPort, key: StepKey, { usage, ...response }: StepCommit): boolean {
  const set = {
    state: "committed",
    response: storeBody(sql, responseName(key), encodeJson(response)),
    usage: usage === undefined ? null : encodeJson(usage),
  };
  return updateRows(sql, { table: "steps", set, where: { turn: key.turn, step: key.step, state: "pending" } });
}

/** The response has gone into history, or never will: the row lets go of it. */
export function closeStep(sql: SqlPort, stored: StoredStep, state: "appended" | "abandoned"): void {
  const { turn, step, overflowed } = stored;
  if (overflowed) dropBody(sql, responseName(stored));
  updateRows(sql, { table: "steps", set: { state, response: null }, where: { turn, step } });
}

export interface TurnProgress {
  /** Responses that were accepted whole. */
  readonly iterations: number;
  readonly usage: TurnUsage;
}

/** What the rows know of a turn's spending; a request without an accepted response leaves it inexact. */
export function readProgress(sql: SqlPort, turn: number): TurnProgress {
  const rows = sql.all("SELECT state, usage FROM steps WHERE turn = ?", turn);
  const accepted = rows.filter((row) => row["state"] === "committed" || row["state"] === "appended");
  const usages = rows
    .filter((row) => row["usage"] instanceof Uint8Array)
    .map((row) => decodeJson(bytesAt(row, "usage")) as TurnUsage);
  const usage = usages.reduce(addUsage, noUsage);
  const unmetered = rows.length > usages.length;
  return { iterations: accepted.length, usage: unmetered ? { ...usage, exact: false } : usage };
}
