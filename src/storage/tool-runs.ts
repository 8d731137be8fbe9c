/** The ended calls of a turn as evidence: what ran, on what, and what the model was shown of it. Rules: RE10. */
import type { Disposition } from "../contracts/call.ts";
import type { ToolRun } from "../contracts/text-check.ts";
import { callBody, shownOf } from "./call-store.ts";
import { loadBody } from "./bodies.ts";
import { findReceiptByNumber } from "./receipt-store.ts";
import { optionalNumberAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { HeldTurn } from "./store-context.ts";
import { decodeJson, decodeUtf8 } from "./utf8.ts";

interface Asked {
  readonly tool: string;
  readonly argumentsText: string;
}

function toRun(sql: SqlPort, row: SqlRow): ToolRun {
  const callId = textAt(row, "call_id");
  const asked = decodeJson(loadBody(sql, callBody(callId, "request"), { row, column: "request" })) as Asked;
  const outcome = decodeJson(loadBody(sql, callBody(callId, "outcome"), { row, column: "outcome" })) as {
    readonly truncated: boolean;
  };
  const n = optionalNumberAt(row, "receipt");
  const receipt = n === undefined ? undefined : findReceiptByNumber(sql, n)?.receipt.token;
  return {
    tool: row["tool"] instanceof Uint8Array ? decodeUtf8(row["tool"]) : asked.tool,
    disposition: textAt(row, "disposition") as Disposition,
    args: asked.argumentsText,
    shown: shownOf(sql, callId, row),
    truncated: outcome.truncated,
    ...(receipt === undefined ? {} : { receipt }),
  };
}

/** In the order in which they ended. A call's id begins with its turn's, so the key finds them. */
export function listToolRuns(sql: SqlPort, { n, id }: Pick<HeldTurn, "n" | "id">): readonly ToolRun[] {
  const prefix = `call_${id}_`;
  return sql
    .all(
      `SELECT call_id, tool, request, disposition, shown, outcome, receipt FROM calls
       WHERE call_id BETWEEN ? AND ? AND turn = ? AND state = 'settled' ORDER BY settled_ms, call_id`,
      prefix,
      `${prefix}\uFFFF`,
      n,
    )
    .map((row) => toRun(sql, row));
}
