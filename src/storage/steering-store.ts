/** Steering: messages that wait for the next iteration of a turn; a row leaves when history or a turn of its own takes it. Rules: G12, LC26, LC27. */
import type { InputPart } from "../contracts/message.ts";
import { bodyName, dropBody, loadBody, storeBody } from "./bodies.ts";
import { insertRow, nextNumber, numberAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

/** A message and who sent it; `summary` is what an event may say of it. */
export interface SteeringMessage {
  readonly input: readonly InputPart[];
  readonly summary: string;
  readonly subject: string;
  readonly channel: string;
}

const steeringBody = (n: number): string => bodyName("steering", n, "body");

export function countSteering(sql: SqlPort, turn: number): number {
  const [row] = sql.all("SELECT count(*) AS waiting FROM steering WHERE turn = ?", turn);
  return row === undefined ? 0 : numberAt(row, "waiting");
}

export function insertSteering(sql: SqlPort, turn: number, { at, ...message }: SteeringMessage & { at: number }): void {
  const n = nextNumber(sql, "steering");
  const body = storeBody(sql, steeringBody(n), encodeJson(message satisfies SteeringMessage));
  insertRow(sql, "steering", { n, turn, at_ms: at, body });
}

function toMessage(sql: SqlPort, row: SqlRow): SteeringMessage {
  const name = steeringBody(numberAt(row, "n"));
  return decodeJson(loadBody(sql, name, { row, column: "body" })) as SteeringMessage;
}

/** For use inside the transaction that puts them elsewhere: in order of arrival, and none is left. */
export function removeSteering(sql: SqlPort, turn: number): SteeringMessage[] {
  const rows = sql.all("SELECT * FROM steering WHERE turn = ? ORDER BY n", turn);
  const messages = rows.map((row) => toMessage(sql, row));
  for (const row of rows) dropBody(sql, steeringBody(numberAt(row, "n")));
  if (rows.length > 0) sql.run("DELETE FROM steering WHERE turn = ?", turn);
  return messages;
}
