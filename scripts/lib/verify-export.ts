/** verifyExport: an exported conversation on its own – the chain, what it says of each receipt, and with the keys each signature. Rules: AU2, RE7, RE8, G15. */
import { z } from "zod";
import { auditKinds } from "../../src/contracts/audit.ts";
import type { JsonObject } from "../../src/contracts/json.ts";
import type { ReceiptBody, ReceiptKeys } from "../../src/contracts/receipt.ts";
import { auditOrigin, startAuditWalk } from "../../src/receipts/audit-chain.ts";
import { decodeBase64url } from "../../src/receipts/base64url.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { headAfter } from "../../src/receipts/sign.ts";
import { verifyReceipt } from "../../src/receipts/verify.ts";

const count = z.int().nonnegative();
const bodySchema = z.strictObject({
  v: z.literal(1),
  kid: z.string(),
  tenant: z.string(),
  conversation: z.string(),
  turn: z.string(),
  call: z.string(),
  seq: count,
  tool: z.string(),
  tool_def: z.string(),
  args: z.string(),
  result: z.string(),
  result_chars: count,
  shown: z.string(),
  at: count,
  prev: z.string(),
});
const exportSchema = z.strictObject({
  format: z.literal("countersign-export/v1"),
  tenant: z.string(),
  conversation: z.string(),
  head: z.strictObject({ seq: count, hash: z.string() }),
  scopes: z.array(z.strictObject({ scope: z.string(), salt: z.string() })),
  entries: z.array(
    z.strictObject({
      seq: count,
      at: count,
      kind: z.enum(auditKinds),
      subject: z.string(),
      data: z.record(z.string(), z.json()),
      prev: z.string(),
      hash: z.string(),
    }),
  ),
  receipts: z.array(z.strictObject({ receipt: z.string(), scope: z.string(), body: bodySchema })),
});
type Exported = z.infer<typeof exportSchema>;
type ExportedReceipt = Exported["receipts"][number];

export interface ExportReport {
  /** In words for a person; empty when everything holds. */
  readonly faults: readonly string[];
  readonly entries: number;
  readonly receipts: number;
  /** How many signatures were checked and hold; 0 without keys. */
  readonly signed: number;
  /** How many could not be checked: key or salt is not there. */
  readonly unverifiable: number;
}

export interface ExportCheck {
  readonly document: unknown;
  /** Without them no signature is checked. */
  readonly keys?: ReceiptKeys;
  /** A head that was announced elsewhere: it must be in the chain. */
  readonly announced?: string;
}

export function verifyExport({ document, keys, announced }: ExportCheck): ExportReport {
  const read = exportSchema.safeParse(document);
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `not an export: ${path.join(".")}: ${message}`);
    return { faults, entries: 0, receipts: 0, signed: 0, unverifiable: 0 };
  }
  const exported = read.data;
  const signatures = checkSignatures(exported, keys);
  return {
    faults: [...checkChain(exported, announced), ...checkReceipts(exported), ...signatures.faults],
    entries: exported.entries.length,
    receipts: exported.receipts.length,
    signed: signatures.signed,
    unverifiable: signatures.unverifiable,
  };
}

function checkChain({ entries, head, tenant, conversation }: Exported, announced: string | undefined): string[] {
  const origin = auditOrigin({ tenant, conversation });
  const walk = startAuditWalk({ seq: 0, hash: origin });
  for (const entry of entries) {
    const broken = walk.step(entry);
    if (broken !== undefined) return [`the chain breaks at entry ${broken.seq} (${broken.reason})`];
  }
  const faults: string[] = [];
  if (walk.head.seq !== head.seq || walk.head.hash !== head.hash) faults.push("the chain does not end at its head");
  const known = announced === undefined || announced === origin || entries.some(({ hash }) => hash === announced);
  return known ? faults : [...faults, "the announced head is not in the chain"];
}

/** Receipts, their own chains, and what the audit chain says of them. */
function checkReceipts(exported: Exported): string[] {
  const faults: string[] = [];
  const told = new Map<unknown, string>();
  const ended = new Map<string, JsonObject>();
  for (const { kind, subject, data } of exported.entries) {
    if (kind === "receipt") told.set(data["receipt"], subject);
    if (kind === "disposition") ended.set(subject, data);
  }
  const last = new Map<string, ExportedReceipt>();
  for (const stored of exported.receipts) {
    const { receipt, scope, body } = stored;
    const before = last.get(scope);
    const place = headAfter(before && { seq: before.body.seq, token: before.receipt });
    // The oldest may be gone with their retention; between those that are left none may be.
    const follows = before === undefined ? body.seq > 1 || body.prev === place.prev : isNext(body, place);
    if (!follows) faults.push(`receipt ${body.seq} of ${scope} does not follow on the one before it`);
    if (told.get(receipt) !== body.call) faults.push(`the audit chain does not have receipt ${body.seq} of ${scope}`);
    const end = ended.get(body.call);
    const agrees = end?.["disposition"] === "succeeded" && same.every((name) => end[name] === body[name]);
    if (!agrees) faults.push(`the audit chain says something else of call ${body.call}`);
    last.set(scope, stored);
  }
  return faults;
}

const same = ["turn", "tool", "tool_def", "args", "result"] as const;

const isNext = (body: ReceiptBody, { seq, prev }: Pick<ReceiptBody, "seq" | "prev">): boolean =>
  body.seq === seq && body.prev === prev;

function checkSignatures({ receipts, scopes, tenant, conversation }: Exported, held: ReceiptKeys | undefined) {
  if (held === undefined) return { faults: [], signed: 0, unverifiable: receipts.length };
  const keys = createScopeKeys(held);
  const salts = new Map(scopes.map(({ scope, salt }) => [scope, decodeBase64url(salt)]));
  const faults: string[] = [];
  let signed = 0;
  for (const { receipt, scope: scopeId, body } of receipts) {
    const salt = salts.get(scopeId);
    const scope = salt === undefined ? {} : { scope: { tenant, conversation, scopeId, salt } };
    const { verdict } = verifyReceipt({ keys, claim: { receipt }, body, ...scope });
    if (verdict === "valid") signed += 1;
    else if (verdict !== "unverifiable") faults.push(`receipt ${body.seq} of ${scopeId} is not signed (${verdict})`);
  }
  return { faults, signed, unverifiable: receipts.length - signed - faults.length };
}
