/** Approvals: what a person is asked about a call, decided once by compare-and-set. Rules: G9, AP4, AP6, SE22. */
import type { Approval, ApprovalRequest, ApprovalState, DecisionRecord } from "../contracts/approval.ts";
import { bodyName, bodySizeSql, loadBody, storeBody } from "./bodies.ts";
import { type PageBack, readPageBack } from "./page-back.ts";
import { insertRow, nextNumber, numberAt, textAt, updateRows } from "./rows.ts";
import type { SqlPort, SqlRow } from "./sql-port.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

export interface StoredApproval {
  /** Place among all approvals of the conversation, from 1: the cursor of lists. */
  readonly n: number;
  /** Number of its turn. */
  readonly turn: number;
  readonly version: number;
  readonly approval: Approval;
}

/** What stands in columns is not said again in the body. */
type RequestBody = Omit<ApprovalRequest, "approvalId" | "callId" | "definitionHash" | "argsDigest" | "expiresAt">;

const approvalBody = (n: number, column: "request" | "decision"): string => bodyName("approvals", n, column);

export function insertApproval(sql: SqlPort, turn: number, request: ApprovalRequest): void {
  const { approvalId, callId, definitionHash, argsDigest, expiresAt, ...body } = request;
  const n = nextNumber(sql, "approvals");
  insertRow(sql, "approvals", {
    n,
    approval_id: approvalId,
    turn,
    call_id: callId,
    tool_def: definitionHash,
    args_digest: argsDigest,
    expires_ms: expiresAt,
    state: "pending",
    version: 1,
    request: storeBody(sql, approvalBody(n, "request"), encodeJson(body satisfies RequestBody)),
  });
}

function toStoredApproval(sql: SqlPort, row: SqlRow): StoredApproval {
  const n = numberAt(row, "n");
  const state = textAt(row, "state") as ApprovalState;
  const load = (column: "request" | "decision"): unknown =>
    decodeJson(loadBody(sql, approvalBody(n, column), { row, column }));
  const approval: Approval = {
    ...(load("request") as RequestBody),
    approvalId: textAt(row, "approval_id"),
    callId: textAt(row, "call_id"),
    definitionHash: textAt(row, "tool_def"),
    argsDigest: textAt(row, "args_digest"),
    expiresAt: numberAt(row, "expires_ms"),
    state,
    ...(state === "decided" ? { decided: load("decision") as DecisionRecord } : {}),
  };
  return { n, turn: numberAt(row, "turn"), version: numberAt(row, "version"), approval };
}

export function findApproval(sql: SqlPort, approvalId: string): StoredApproval | undefined {
  const [row] = sql.all("SELECT * FROM approvals WHERE approval_id = ?", approvalId);
  return row && toStoredApproval(sql, row);
}

const approvalSize = `${bodySizeSql("approvals", "n", "request")} + ${bodySizeSql("approvals", "n", "decision")}`;

/** Newest first, ending at `limit` or at about 4 MiB; `before` is the `n` of the last one seen. */
export function listApprovals(sql: SqlPort, page: PageBack): StoredApproval[] {
  return readPageBack(sql, { table: "approvals", size: approvalSize, ...page }).map((row) =>
    toStoredApproval(sql, row),
  );
}

/** What waits for a person, in the order it was asked. All of it belongs to the one turn that is suspended. */
export function listOpenApprovals(sql: SqlPort): StoredApproval[] {
  return sql
    .all("SELECT a.* FROM deadlines d JOIN approvals a ON a.approval_id = d.ref WHERE d.kind = 'approval' ORDER BY a.n")
    .map((row) => toStoredApproval(sql, row));
}

export interface ApprovalEnding {
  readonly state: Exclude<ApprovalState, "pending">;
  /** With `decided` alone. */
  readonly decided?: DecisionRecord;
}

/** The approval's one end: false when it is no longer pending as it was read. */
export function endApproval(sql: SqlPort, { n, version }: StoredApproval, { state, decided }: ApprovalEnding): boolean {
  const decision = decided === undefined ? null : storeBody(sql, approvalBody(n, "decision"), encodeJson(decided));
  const set = { state, version: version + 1, decision };
  return updateRows(sql, { table: "approvals", set, where: { n, state: "pending", version } });
}
