/** Steps: one row per model request of a frame, holding its response until that is history, and how the loop stood. Rules: HI2, DU21, CK2, CK3. */
import type { JsonObject } from "../contracts/json.ts";
import type { AssistantEntry } from "../contracts/message.ts";
import type { LoopCheckpoint } from "../contracts/turn-journal.ts";
import { type TurnUsage, addUsage, noUsage } from "../contracts/turn.ts";
import { bodyName, dropBody, loadBody, storeBody } from "./bodies.ts";
import { bytesAt, insertRow, numberAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import { type FrameContext, rootFrame } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export type StepState = "pending" | "committed" | "appended" | "abandoned";

/** What waits on the row: the assistant message, why it ended, and the ids of its calls in slot order. */
export interface StepResponse {
  readonly message: AssistantEntry;
  readonly finishReason: string;
  readonly callIds: readonly string[];
}
export interface FrameKey {
  readonly turn: number;
  readonly frame: string;
}
export interface StepKey extends FrameKey {
  readonly step: number;
}
/** Of the frame that is the turn's own. */
export const rootKey = (turn: number): FrameKey => ({ turn, frame: rootFrame });
export const keyOf = ({ turn, frame }: FrameContext): FrameKey => ({ turn: turn.n, frame });

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

type StepBody = "response" | "checkpoint";
const stepBody = ({ turn, frame, step }: StepKey, column: StepBody): string =>
  bodyName("steps", `${turn}.${frame}.${step}`, column);

function checkpointColumns(sql: SqlPort, key: StepKey, checkpoint: LoopCheckpoint | undefined): SqlRow {
  const name = stepBody(key, "checkpoint");
  if (checkpoint === undefined) return { saved: 0, checkpoint: null };
  return { saved: checkpoint.n, checkpoint: storeBody(sql, name, encodeJson(checkpoint.body)) };
}

/** The same, for a row that may hold an older one. */
function nextCheckpoint(sql: SqlPort, key: StepKey, checkpoint: LoopCheckpoint | undefined): SqlRow {
  if (checkpoint === undefined) return {};
  dropBody(sql, stepBody(key, "checkpoint"));
  return checkpointColumns(sql, key, checkpoint);
}

export interface StepOpening {
  readonly attempt: number;
  readonly openedSeq: number;
  readonly checkpoint?: LoopCheckpoint | undefined;
}

export function insertStep(sql: SqlPort, key: StepKey, { attempt, openedSeq, checkpoint }: StepOpening): void {
  const { turn, frame, step } = key;
  const columns = checkpointColumns(sql, key, checkpoint);
  insertRow(sql, "steps", { turn, frame, step, state: "pending", attempt, opened_seq: openedSeq, ...columns });
}

function toStoredStep(sql: SqlPort, row: SqlRow): StoredStep {
  const key = { turn: numberAt(row, "turn"), frame: textAt(row, "frame"), step: numberAt(row, "step") };
  const state = textAt(row, "state") as StepState;
  const overflowed = state === "committed" && row["response"] === null;
  const [attempt, openedSeq] = [numberAt(row, "attempt"), numberAt(row, "opened_seq")];
  const stored = { ...key, state, attempt, openedSeq, overflowed };
  if (state !== "committed") return stored;
  const body = loadBody(sql, stepBody(key, "response"), { row, column: "response" });
  return { ...stored, response: decodeJson(body) as StepResponse };
}

/** The step that the frame is at; earlier ones are `appended` or `abandoned`. */
export function findLastStep(sql: SqlPort, { turn, frame }: FrameKey): StoredStep | undefined {
  const [row] = sql.all("SELECT * FROM steps WHERE turn = ? AND frame = ? ORDER BY step DESC LIMIT 1", turn, frame);
  return row && toStoredStep(sql, row);
}

/** Another request for the same step; what the one before streamed is behind `openedSeq`. */
export function reopenStep(sql: SqlPort, key: StepKey, { attempt, openedSeq }: StepOpening): boolean {
  const set = { attempt, opened_seq: openedSeq };
  const { turn, frame, step } = key;
  return updateRows(sql, { table: "steps", set, where: { turn, frame, step, state: "pending" } });
}

export interface StepCommit extends StepResponse {
  readonly usage?: TurnUsage;
  readonly checkpoint?: LoopCheckpoint | undefined;
}

/** Pending to committed; false when the step is not pending. */
export function commitStep(sql: SqlPort, key: StepKey, { usage, checkpoint, ...response }: StepCommit): boolean {
  const set = {
    state: "committed",
    response: storeBody(sql, stepBody(key, "response"), encodeJson(response)),
    usage: usage === undefined ? null : encodeJson(usage),
    ...nextCheckpoint(sql, key, checkpoint),
  };
  const { turn, frame, step } = key;
  return updateRows(sql, { table: "steps", set, where: { turn, frame, step, state: "pending" } });
}

/** The response has gone into history, or never will: the row lets go of it. */
export function closeStep(
  sql: SqlPort,
  stored: StoredStep,
  { state, checkpoint }: { readonly state: "appended" | "abandoned"; readonly checkpoint?: LoopCheckpoint | undefined },
): void {
  const { turn, frame, step, overflowed } = stored;
  if (overflowed) dropBody(sql, stepBody(stored, "response"));
  const set = { state, response: null, ...nextCheckpoint(sql, stored, checkpoint) };
  updateRows(sql, { table: "steps", set, where: { turn, frame, step } });
}

/** The step stays as it is; how its loop stands now is kept with it. */
export function keepCheckpoint(sql: SqlPort, key: StepKey, checkpoint: LoopCheckpoint | undefined): void {
  const { turn, frame, step } = key;
  const set = nextCheckpoint(sql, key, checkpoint);
  if (checkpoint !== undefined) updateRows(sql, { table: "steps", set, where: { turn, frame, step } });
}

function loadCheckpoint(sql: SqlPort, row: SqlRow | undefined): JsonObject | undefined {
  if (row === undefined || numberAt(row, "saved") === 0) return undefined;
  const key = { turn: numberAt(row, "turn"), frame: textAt(row, "frame"), step: numberAt(row, "step") };
  return decodeJson(loadBody(sql, stepBody(key, "checkpoint"), { row, column: "checkpoint" })) as JsonObject;
}

/** How the frame stood when it last moved on. */
export function readFrameCheckpoint(sql: SqlPort, { turn, frame }: FrameKey): JsonObject | undefined {
  const [row] = sql.all(
    "SELECT turn, frame, step, saved, checkpoint FROM steps WHERE turn = ? AND frame = ? ORDER BY step DESC LIMIT 1",
    turn,
    frame,
  );
  return loadCheckpoint(sql, row);
}

/** The newest of the turn, whichever of its frames took it: what frames share is as it says. */
export function readTurnCheckpoint(sql: SqlPort, turn: number): JsonObject | undefined {
  const [row] = sql.all(
    "SELECT turn, frame, step, saved, checkpoint FROM steps WHERE turn = ? ORDER BY saved DESC LIMIT 1",
    turn,
  );
  return loadCheckpoint(sql, row);
}

/** With the turn's end nobody goes on from them. */
export function dropCheckpoints(sql: SqlPort, turn: number): void {
  for (const row of sql.all(
    "SELECT frame, step FROM steps WHERE turn = ? AND saved > 0 AND checkpoint IS NULL",
    turn,
  )) {
    dropBody(sql, stepBody({ turn, frame: textAt(row, "frame"), step: numberAt(row, "step") }, "checkpoint"));
  }
  sql.run("UPDATE steps SET saved = 0, checkpoint = NULL WHERE turn = ? AND saved > 0", turn);
}

export interface TurnProgress {
  /** Responses that were accepted whole, those of delegates among them. */
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
