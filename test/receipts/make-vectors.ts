/** Writes vectors.json, once: `npx node test/receipts/make-vectors.ts`. Every later change of the file is a breaking change. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReceiptScope } from "../../src/contracts/receipt.ts";
import { canonicalJson } from "../../src/receipts/canonical-json.ts";
import { parseReceiptKeys } from "../../src/receipts/receipt-keys.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { headAfter, signReceipt, type UnsignedReceipt } from "../../src/receipts/sign.ts";
import { scopeKeyOf } from "./scope-key.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const bytesOf = (label: string, length: number): Uint8Array =>
  createHash("sha256").update(label).digest().subarray(0, length);

const masters = { "2026-01": bytesOf("first master", 32), "2026-07": bytesOf("second master", 32) };
const encoded = Object.fromEntries(
  Object.entries(masters).map(([kid, key]) => [kid, Buffer.from(key).toString("base64url")]),
);

interface Call {
  readonly tool: string;
  readonly args: string;
  readonly result: string;
}
const plain: Call = { tool: "calculator", args: '{"expression":"1+1"}', result: "2" };
const calls: readonly Call[] = [
  plain,
  plain,
  { tool: "current_time", args: "{}", result: "2026-03-27T10:08:16Z" },
  { tool: "files__read", args: '{"path":"notes/today.md"}', result: "(no output)" },
  { tool: "a|b", args: '{"pipe":"|"}', result: "x|y|z" },
  { tool: 'quote"d', args: '{"q":"\\""}', result: '"' },
  { tool: "back\\slash", args: '{"b":"\\\\"}', result: "\\" },
  { tool: "line\nbreak", args: '{"n":"\\n"}', result: "one\ntwo\r\nthree" },
  { tool: "nul\0byte", args: '{"z":"\\u0000"}', result: "\0" },
  { tool: "größe", args: '{"ö":"€"}', result: "naïve café" },
  { tool: "emoji", args: '{"e":"😀"}', result: "👩‍👩‍👧‍👦 🇦🇺" },
  { tool: "separator", args: '{"s":"\u2028"}', result: "\u2028\u2029" },
  { tool: "x".repeat(128), args: "{}", result: "long name" },
  { tool: "long", args: "{}", result: "ab".repeat(2000) },
];

const scopes: readonly {
  readonly kid: keyof typeof masters;
  readonly scope: ReceiptScope;
  readonly calls: readonly Call[];
}[] = [
  scopeOf("2026-01", ["acme", "conv_0123456789abcdef"], calls),
  scopeOf("2026-07", ["acme", "conv_0123456789abcdef/turn_2"], calls.slice(0, 4)),
  scopeOf("2026-07", ["a-b", "c0123456789abcdef"], calls.slice(0, 2)),
  scopeOf("2026-07", ["a", "b-c0123456789abcdef"], calls.slice(0, 2)),
].map((made, index) => ({ ...made, scope: { ...made.scope, salt: bytesOf(`salt ${index}`, 16) } }));

function scopeOf(kid: keyof typeof masters, [tenant, scopeId]: readonly [string, string], of: readonly Call[]) {
  const conversation = scopeId.split("/")[0] ?? scopeId;
  return { kid, scope: { tenant, conversation, scopeId, salt: new Uint8Array() }, calls: of };
}

function describe({ kid, scope, calls: made }: (typeof scopes)[number]) {
  const read = parseReceiptKeys(JSON.stringify(encoded), kid);
  if (!read.ok) throw new Error("the keys do not parse");
  const keys = createScopeKeys(read.value);
  let head = headAfter(undefined);
  const receipts = made.map(({ tool, args, result }, index) => {
    const unsigned: UnsignedReceipt = {
      tenant: scope.tenant,
      conversation: scope.conversation,
      turn: "turn_2",
      call: `call_${index + 1}`,
      ...head,
      tool,
      tool_def: sha256(`definition of ${tool}`),
      args: sha256(args),
      result: sha256(result),
      result_chars: Array.from(result).length,
      shown: sha256(result.slice(0, 1000)),
      at: 1_774_608_496 + (index >> 1),
    };
    const receipt = signReceipt(keys, scope, unsigned);
    head = headAfter({ seq: receipt.body.seq, token: receipt.token });
    return { ...receipt, canonical: canonicalJson({ ...receipt.body }), source: { arguments: args, result } };
  });
  const scopeKey = scopeKeyOf(masters[kid], scope).toString("hex");
  return { kid, scope: { ...scope, salt: Buffer.from(scope.salt).toString("hex") }, scopeKey, receipts };
}

const about = "Keys base64url, salts, scope keys and digests hex. `canonical` is the RFC 8785 text of `body`.";
const file = join(import.meta.dirname, "vectors.json");
writeFileSync(file, `${JSON.stringify({ about, masters: encoded, scopes: scopes.map(describe) }, null, 2)}\n`);
