/** The frozen vectors: an independent reading of the format signs the same tokens, and so does the code. */
import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseReceiptKeys } from "../../src/receipts/receipt-keys.ts";
import type { ReceiptBody } from "../../src/contracts/receipt.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { headAfter, signReceipt } from "../../src/receipts/sign.ts";
import { verifyReceipt } from "../../src/receipts/verify.ts";
import { scopeKeyOf } from "./scope-key.ts";
import vectors from "./vectors.json" with { type: "json" };

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const cases = vectors.scopes.map((scope) => ({ ...scope, name: `${scope.scope.tenant} ${scope.scope.scopeId}` }));
const readScope = (scope: (typeof cases)[number]["scope"]) => ({
  ...scope,
  salt: new Uint8Array(Buffer.from(scope.salt, "hex")),
});

describe("receipt vectors", () => {
  test("[RE3] there are at least 20 bodies", () => {
    expect(cases.flatMap(({ receipts }) => receipts).length).toBeGreaterThanOrEqual(20);
  });

  test.each(cases)(
    "[RE2][RE3][RE4] platform crypto makes the tokens of $name",
    ({ kid, scope, scopeKey, receipts }) => {
      const master = Buffer.from(new Map(Object.entries(vectors.masters)).get(kid) ?? "", "base64url");
      const key = scopeKeyOf(master, readScope(scope));
      expect(key.toString("hex")).toBe(scopeKey);
      for (const { body, canonical, token, source } of receipts) {
        const tag = createHmac("sha256", key).update(`countersign/receipt/v1\0${canonical}`).digest("base64url");
        expect(token).toBe(`zc-receipt-${body.at}-${tag}`);
        expect(JSON.parse(canonical)).toEqual(body);
        expect([body.args, body.result]).toEqual([sha256(source.arguments), sha256(source.result)]);
      }
    },
  );

  test.each(cases)("[RE3][RE7] the code signs and verifies $name", ({ kid, scope: stored, receipts }) => {
    const read = parseReceiptKeys(JSON.stringify(vectors.masters), kid);
    if (!read.ok) throw new Error("the keys of the vectors do not parse");
    const scope = readScope(stored);
    const keys = createScopeKeys(read.value);
    let head = headAfter(undefined);
    for (const { body, token, source } of receipts) {
      const { v: _, kid: __, seq, prev, ...unsigned } = body;
      expect({ seq, prev }).toEqual(head);
      const signed = signReceipt(keys, scope, { ...unsigned, ...head });
      expect(signed.token).toBe(token);
      head = headAfter({ seq, token });
      const claim = {
        receipt: token,
        tool: body.tool,
        arguments: JSON.parse(source.arguments) as unknown,
        result: source.result,
      };
      expect(verifyReceipt({ keys, scope, body: body as ReceiptBody, claim })).toEqual({ verdict: "valid", body });
    }
  });
});
