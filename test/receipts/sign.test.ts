/** What is signed, and that no two bodies share their bytes. */
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReceiptBody } from "../../src/contracts/receipt.ts";
import { encodeBase64url } from "../../src/receipts/base64url.ts";
import { encodeReceiptPayload, headAfter, signReceipt } from "../../src/receipts/sign.ts";
import { masters, sampleKeys, sampleScope, unsignedReceipt } from "./receipt-samples.ts";
import { scopeKeyOf } from "./scope-key.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "|", '"', "\\", "\n", "\0", '","tool":"x', "a|b", "x".repeat(5000)),
);
const anyBody: fc.Arbitrary<ReceiptBody> = fc.record({
  v: fc.constant(1 as const),
  kid: text,
  tenant: text,
  conversation: text,
  turn: text,
  call: text,
  seq: fc.nat(),
  tool: text,
  tool_def: text,
  args: text,
  result: text,
  result_chars: fc.nat(),
  shown: text,
  at: fc.nat(),
  prev: text,
});

describe("signing", () => {
  test("[RE3] the payload is the label, NUL and canonical JSON of exactly the fields", () => {
    const body: ReceiptBody = { ...unsignedReceipt(), v: 1, kid: "k1" };
    const row = { ...body, extra: "of a row" };
    const payload = Buffer.from(encodeReceiptPayload(row)).toString();
    expect(payload).toBe(
      `countersign/receipt/v1\0{"args":"${body.args}","at":1774608496,"call":"call_1",` +
        `"conversation":"conv_0123456789abcdef","kid":"k1","prev":"genesis","result":"${body.result}","result_chars":1,` +
        `"seq":1,"shown":"${body.shown}","tenant":"acme","tool":"calculator","tool_def":"${body.tool_def}","turn":"turn_1","v":1}`,
    );
  });

  test("[RE3] payload encoding is injective", () => {
    const decode = (body: ReceiptBody): unknown =>
      JSON.parse(Buffer.from(encodeReceiptPayload(body)).toString().slice("countersign/receipt/v1\0".length));
    fc.assert(
      fc.property(anyBody, (body) => {
        expect(decode(body)).toEqual({ ...body });
      }),
    );
  });

  test("[RE3] content moved between neighbouring fields gives other bytes", () => {
    const fields = [
      "tenant",
      "conversation",
      "turn",
      "call",
      "tool",
      "tool_def",
      "args",
      "result",
      "shown",
      "prev",
    ] as const;
    fc.assert(
      fc.property(anyBody, fc.nat(fields.length - 2), (body, at) => {
        const [left, right] = [fields[at] ?? "turn", fields[at + 1] ?? "call"];
        const moved = { ...body, [left]: body[left] + body[right], [right]: "" };
        fc.pre(body[right] !== "");
        expect(encodeReceiptPayload(moved)).not.toEqual(encodeReceiptPayload(body));
      }),
    );
  });

  test("[RE4] two identical calls in one second have different tokens", () => {
    const keys = sampleKeys();
    const first = signReceipt(keys, sampleScope, unsignedReceipt({ ...headAfter(undefined), call: "call_1" }));
    const second = signReceipt(
      keys,
      sampleScope,
      unsignedReceipt({ ...headAfter({ seq: 1, token: first.token }), call: "call_2" }),
    );
    const sameButCall = signReceipt(keys, sampleScope, unsignedReceipt({ call: "call_2" }));
    const sameButSeq = signReceipt(keys, sampleScope, unsignedReceipt({ seq: 2 }));
    expect(new Set([first, second, sameButCall, sameButSeq].map(({ token }) => token)).size).toBe(4);
  });

  test("[RE3] a receipt's place is the one after the token before", () => {
    expect(headAfter(undefined)).toEqual({ seq: 1, prev: "genesis" });
    const { body, token } = signReceipt(sampleKeys(), sampleScope, unsignedReceipt(headAfter(undefined)));
    const prev = createHash("sha256").update(token).digest("hex");
    expect(headAfter({ seq: body.seq, token })).toEqual({ seq: 2, prev });
  });

  test("[RE2] tenant, scope id, salt and master each give another key, also when their texts only shift", () => {
    const scopes = [
      sampleScope,
      { ...sampleScope, tenant: "acmec" },
      { ...sampleScope, scopeId: `${sampleScope.scopeId}/turn_1` },
      { ...sampleScope, salt: new Uint8Array(16).fill(8) },
      { ...sampleScope, tenant: "acmeconv", scopeId: sampleScope.scopeId.slice("conv".length) },
    ];
    const keys = sampleKeys();
    const tags = [...masters.keys()].flatMap((kid) =>
      scopes.map((scope) => encodeBase64url(keys.tagFor(kid, scope)?.(new Uint8Array()) ?? new Uint8Array())),
    );
    expect(new Set(tags).size).toBe(10);
  });

  test("[RE2] a scope that was erased and made again signs with its new salt at once", () => {
    const keys = sampleKeys();
    const before = signReceipt(keys, sampleScope, unsignedReceipt());
    const after = signReceipt(keys, { ...sampleScope, salt: new Uint8Array(16) }, unsignedReceipt());
    expect(after.token).not.toBe(before.token);
  });

  test("[RE2] a key that fell out of the cache is derived again, the same", () => {
    const keys = sampleKeys();
    const sign = (turn: number): string =>
      signReceipt(keys, { ...sampleScope, scopeId: `${sampleScope.conversation}/${turn}` }, unsignedReceipt()).token;
    const first = sign(0);
    const tokens = Array.from({ length: 200 }, (_, turn) => sign(turn));
    expect(tokens[0]).toBe(first);
    expect(new Set(tokens).size).toBe(200);
    expect(sign(0)).toBe(first);
  });

  test("[RE2] nothing is signed under another tenant's or conversation's scope", () => {
    expect(() => signReceipt(sampleKeys(), sampleScope, unsignedReceipt({ tenant: "other" }))).toThrow(/own scope/);
    expect(() => signReceipt(sampleKeys(), sampleScope, unsignedReceipt({ conversation: "c" }))).toThrow(/own scope/);
  });

  test("[RE14] receipts show neither master nor scope key", () => {
    const shown = JSON.stringify(signReceipt(sampleKeys(), sampleScope, unsignedReceipt()));
    const master = masters.get("k1") ?? new Uint8Array();
    for (const key of [master, scopeKeyOf(master, sampleScope)]) {
      expect(shown).not.toContain(encodeBase64url(key));
      expect(shown).not.toContain(Buffer.from(key).toString("hex"));
    }
  });
});
