/** What the audit chain says of a call, a receipt, an approval, a cancel, a grant: read from the rows just written. Rules: AU1, AP19, RD6, RX10. */
import type { ApprovalEnding, StoredApproval } from "./approval-store.ts";
import type { AuditFact } from "../contracts/audit.ts";
import type { ApprovalProvenance } from "../contracts/approval.ts";
import type { JsonObject, JsonValue } from "../contracts/json.ts";
import type { ReceiptBody } from "../contracts/receipt.ts";
import { loadBody } from "./bodies.ts";
import { readFrameContext } from "./frame-store.ts";
import { numberAt, optionalTextAt, textAt } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import type { StoreContext } from "./store-context.ts";
import { findTurnByNumber } from "./turn-store.ts";
import { decodeJson, decodeUtf8 } from "./utf8.ts";

/** Members that there is nothing to say of are left out. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const said = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(said);
}

function requireTurn(sql: SqlPort, n: number) {
  const found = findTurnByNumber(sql, n);
  if (found === undefined) throw new Error(`no turn ${n}`);
  return found.turn;
}

/** Real name of the tool that it came to, or else the one that was asked for. */
function toolOf(sql: SqlPort, callId: string, row: SqlRow): string {
  const resolved = row["tool"];
  if (resolved instanceof Uint8Array) return decodeUtf8(resolved);
  const request = loadBody(sql, `calls/${callId}/request`, { row, column: "request" });
  return (decodeJson(request) as { readonly tool: string }).tool;
}

/** For a call whose row is settled. */
export function dispositionFact(sql: SqlPort, callId: string): AuditFact {
  const [row] = sql.all(
    `SELECT turn, frame, tool, tool_origin, request, definition_hash, args_digest, result_digest, disposition
     FROM calls WHERE call_id = ?`,
    callId,
  );
  if (row === undefined) throw new Error(`call ${callId} has no row`);
  const turn = requireTurn(sql, numberAt(row, "turn"));
  const frame = readFrameContext(sql, { turn: turn.n, frame: textAt(row, "frame") });
  const data = present({
    turn: turn.id,
    agent: frame?.agent ?? turn.agent,
    parent_calls: frame?.parentCalls,
    tool: toolOf(sql, callId, row),
    tool_origin: optionalTextAt(row, "tool_origin"),
    tool_def: optionalTextAt(row, "definition_hash"),
    args: optionalTextAt(row, "args_digest"),
    result: optionalTextAt(row, "result_digest"),
    disposition: textAt(row, "disposition"),
  });
  return { kind: "disposition", subject: callId, data };
}

/** The token names everything that its body says, since nobody else can sign it. */
export const receiptFact = ({ turn, call, tool, seq }: ReceiptBody, token: string): AuditFact => ({
  kind: "receipt",
  subject: call,
  data: { turn, tool, seq, receipt: token },
});

/** Who decided what, from where, on whose word: of what was put in place of the call, and of a note, the digest. */
export function decisionFact(
  { audit }: Pick<StoreContext, "audit">,
  { approval }: StoredApproval,
  { state, decided, provenance }: ApprovalEnding & { readonly provenance: ApprovalProvenance },
): AuditFact {
  const digestOf = (text: string | undefined) => (text === undefined ? undefined : audit.digest(text.toWellFormed()));
  const data = present({
    turn: approval.turn,
    call: approval.callId,
    agent: approval.agent,
    tool: approval.tool,
    tool_origin: approval.toolOrigin,
    tool_def: approval.definitionHash,
    args: approval.argsDigest,
    asked: approval.channel,
    state,
    provenance,
    decision: decided?.decision,
    decided_by: decided?.decidedBy,
    channel: decided?.channel,
    replacement: digestOf(decided?.replacement),
    note: digestOf(decided?.note),
  });
  return { kind: "decision", subject: approval.approvalId, data };
}

/** Who asked that a turn ends. */
export interface CancelAsker {
  readonly subject: string;
  readonly channel: string;
}

export const cancelFact = (turn: string, reason: "cancel" | "interrupt", by: CancelAsker | undefined): AuditFact => ({
  kind: "cancel",
  subject: turn,
  data: { reason, ...(by === undefined ? {} : { asked_by: by.subject, channel: by.channel }) },
});

/** `always`: from now on this agent may use the tool, as it is defined, unasked. `definition_changed`: what was asked about is no longer the tool. */
export const policyFact = ({ approval }: StoredApproval, change: "always" | "definition_changed"): AuditFact => ({
  kind: "policy",
  subject: approval.approvalId,
  data: { turn: approval.turn, agent: approval.agent, tool: approval.tool, tool_def: approval.definitionHash, change },
});
