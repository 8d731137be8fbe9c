/** Audit verbs: the chain as pages, walked on demand, exported whole for whoever verifies it elsewhere. Rules: AU2, G15. */
import type { AuditVerdict } from "../src/contracts/audit.ts";
import type { AuditPage, AuditQuery } from "../src/contracts/verbs.ts";
import { startAuditWalk } from "../src/receipts/audit-chain.ts";
import { encodeBase64url } from "../src/receipts/base64url.ts";
import { listAudit, readAuditHead } from "../src/storage/audit-store.ts";
import { lastReceiptNumber, listReceipts, listScopes } from "../src/storage/receipt-store.ts";
import { findLastEnded } from "../src/storage/turn-store.ts";
import { encodeAuditEntry, encodeExportedReceipt } from "../src/wire/audit.ts";
import type { ConversationParts } from "./conversation-parts.ts";

/** Rows that lie in memory at once. */
const AT_ONCE = 200;

export interface AuditParts {
  readonly owner: ConversationParts["owner"];
  readonly store: Pick<ConversationParts["store"], "sql" | "audit">;
}

export function pageAudit(parts: AuditParts, { verify, ...page }: AuditQuery): AuditPage {
  const { store } = parts;
  const entries = listAudit(store.sql, page);
  const head = readAuditHead(store);
  return verify ? { entries, head, verdict: walkAudit(parts) } : { entries, head };
}

/** From the origin to the head, which must be one that the last turn to end has named, or lie behind it. */
export function walkAudit({ store }: Pick<AuditParts, "store">): AuditVerdict {
  const walk = startAuditWalk({ seq: 0, hash: store.audit.origin });
  const announced = findLastEnded(store.sql)?.summary?.headHash ?? store.audit.origin;
  let met = announced === store.audit.origin;
  for (;;) {
    const entries = listAudit(store.sql, { after: walk.head.seq, limit: AT_ONCE });
    for (const entry of entries) {
      const broken = walk.step(entry);
      if (broken !== undefined) return { verdict: "broken", ...broken };
      met ||= entry.hash === announced;
    }
    if (entries.length > 0) continue;
    const { seq } = walk.head;
    return met ? { verdict: "valid", entries: seq } : { verdict: "broken", seq: seq + 1, reason: "announced" };
  }
}

/** One JSON document: what there was when it was asked for, whatever is written while it is read. */
export function exportAudit({ store, owner }: AuditParts): Response {
  const { sql } = store;
  const head = readAuditHead(store);
  const lastReceipt = lastReceiptNumber(sql);
  const scopes = listScopes(sql).map(({ scopeId, salt }) => ({ scope: scopeId, salt: encodeBase64url(salt) }));
  const opening = JSON.stringify({ format: "countersign-export/v1", ...owner, head, scopes });
  function* chunks(): Generator<string> {
    yield `${opening.slice(0, -1)},"entries":[`;
    yield* joined((after) => listAudit(sql, { after, limit: Math.min(AT_ONCE, head.seq - after) }), {
      cursor: ({ seq }) => seq,
      encode: encodeAuditEntry,
    });
    yield '],"receipts":[';
    yield* joined((after) => listReceipts(sql, { after, limit: AT_ONCE }).filter(({ n }) => n <= lastReceipt), {
      cursor: ({ n }) => n,
      encode: encodeExportedReceipt,
    });
    yield "]}\n";
  }
  return new Response(streamText(chunks()), { headers: { "content-type": "application/json" } });
}

interface Listed<Row> {
  readonly cursor: (row: Row) => number;
  readonly encode: (row: Row) => object;
}

function* joined<Row>(page: (after: number) => readonly Row[], { cursor, encode }: Listed<Row>): Generator<string> {
  let after = 0;
  for (;;) {
    const rows = page(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const text = rows.map((row) => JSON.stringify(encode(row))).join(",");
    yield after === 0 ? text : `,${text}`;
    after = cursor(last);
  }
}

/** Pulled by the reader. */
function streamText(chunks: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: (controller) => {
      const { done, value } = chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void chunks.return(undefined),
  });
}
