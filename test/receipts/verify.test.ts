/** Verification: only the true receipt of a true claim is valid. */
import { describe, expect, test } from "vitest";
import type { ReceiptBody } from "../../src/contracts/receipt.ts";
import { decodeBase64url, encodeBase64url } from "../../src/receipts/base64url.ts";
import { digestText } from "../../src/receipts/digest.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { signReceipt } from "../../src/receipts/sign.ts";
import { isEqualTag, type ReceiptCheck, verifyReceipt } from "../../src/receipts/verify.ts";
import { masters, otherValues, sampleKeys, sampleScope, unsignedReceipt } from "./receipt-samples.ts";

const keys = sampleKeys();
const { token, body } = signReceipt(keys, sampleScope, unsignedReceipt());
const check = (changes: Partial<ReceiptCheck> = {}): ReceiptCheck => ({
  keys,
  scope: sampleScope,
  body,
  claim: { receipt: token },
  ...changes,
});
const verdictOf = (changes: Partial<ReceiptCheck>) => verifyReceipt(check(changes));

describe("verifyReceipt", () => {
  test("[RE7] a true receipt is valid, alone and with every true claim", () => {
    const claim = { receipt: token, tool: "calculator", arguments: { expression: "1+1" }, result: "2" };
    expect(verdictOf({})).toEqual({ verdict: "valid", body });
    expect(verdictOf({ claim })).toEqual({ verdict: "valid", body });
  });

  test("[RE9] each false claim is named, and only those", () => {
    const claim = { receipt: token, tool: "calculator", arguments: { expression: "1+1" }, result: "2" };
    const fieldsOf = (changes: object) => verdictOf({ claim: { ...claim, ...changes } });
    expect(fieldsOf({ result: "2 " })).toEqual({ verdict: "mismatch", fields: ["result"] });
    expect(fieldsOf({ result: "" })).toEqual({ verdict: "mismatch", fields: ["result"] });
    expect(fieldsOf({ tool: "Calculator" })).toEqual({ verdict: "mismatch", fields: ["tool"] });
    expect(fieldsOf({ arguments: null })).toEqual({ verdict: "mismatch", fields: ["arguments"] });
    expect(fieldsOf({ tool: "x", arguments: {}, result: "y" })).toEqual({
      verdict: "mismatch",
      fields: ["tool", "arguments", "result"],
    });
  });

  test("[RE6] a claim that could never have been signed is a mismatch", () => {
    expect(verdictOf({ claim: { receipt: token, result: "\ud83d" } })).toMatchObject({ fields: ["result"] });
    expect(verdictOf({ claim: { receipt: token, arguments: { a: "\udc00" } } })).toMatchObject({
      fields: ["arguments"],
    });
    expect(verdictOf({ claim: { receipt: token, arguments: () => 1 } })).toMatchObject({ fields: ["arguments"] });
  });

  test("[RE6] a lone surrogate that was replaced before signing verifies from the stored text", () => {
    const stored = "a\ud83d".toWellFormed();
    const signed = signReceipt(keys, sampleScope, unsignedReceipt({ result: digestText(stored) }));
    expect(verdictOf({ body: signed.body, claim: { receipt: signed.token, result: stored } }).verdict).toBe("valid");
  });

  test.each(Object.entries(otherValues))("[RE7] another %s is never valid", (field, value) => {
    const changed = { ...body, [field]: value } as ReceiptBody;
    expect(verdictOf({ body: changed })).toEqual({ verdict: "mismatch", fields: ["receipt"] });
  });

  test("[RE7] contents of neighbouring fields swapped are never valid", () => {
    const names = Object.keys(body) as (keyof ReceiptBody)[];
    const verdicts = names.flatMap((left, at) => {
      const right = names[(at + 1) % names.length] ?? "v";
      const swapped = { ...body, [left]: body[right], [right]: body[left] } as ReceiptBody;
      return body[left] === body[right] ? [] : [verdictOf({ body: swapped }).verdict];
    });
    expect(verdicts.length).toBeGreaterThan(10);
    expect(verdicts).not.toContain("valid");
  });

  test("[RE7] no bit of the tag may differ", () => {
    const tag = decodeBase64url(token.slice(-43)) ?? new Uint8Array();
    for (let bit = 0; bit < 256; bit += 1) {
      const flipped = Uint8Array.from(tag, (byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      const receipt = `${token.slice(0, -43)}${encodeBase64url(flipped)}`;
      expect(verdictOf({ claim: { receipt } }), `bit ${bit}`).toEqual({ verdict: "mismatch", fields: ["receipt"] });
    }
  });

  test("[RE7] the time in the token must be the signed one", () => {
    const receipt = token.replace("1774608496", "1774608497");
    expect(verdictOf({ claim: { receipt } })).toEqual({ verdict: "mismatch", fields: ["receipt"] });
  });

  test("[RE7] the scope decides: another salt, tenant or scope id never verifies", () => {
    const scopes = [{ salt: new Uint8Array(16) }, { tenant: "acmf" }, { scopeId: `${sampleScope.scopeId}/turn_1` }];
    for (const change of scopes) {
      expect(verdictOf({ scope: { ...sampleScope, ...change } }).verdict).toBe("mismatch");
    }
  });

  test("[RE7] malformed, unknown and unverifiable are told apart", () => {
    const { body: _, ...unknown } = check();
    const { scope: __, ...erased } = check();
    expect(verdictOf({ claim: { receipt: token.slice(0, -1) } })).toEqual({ verdict: "malformed" });
    expect(verifyReceipt(unknown)).toEqual({ verdict: "unknown_receipt" });
    expect(verifyReceipt(erased)).toEqual({ verdict: "unverifiable" });
  });

  test("[RE7] an exception is never valid", () => {
    const failing = {
      active: "k1",
      tagFor: () => () => {
        throw new Error("broken");
      },
    };
    expect(verdictOf({ keys: failing })).toEqual({ verdict: "unverifiable" });
    expect(verdictOf({ body: { ...body, tool: "\ud83d" } })).toEqual({ verdict: "unverifiable" });
  });

  test("[RE8] after rotation old receipts verify until their key is removed, then are unverifiable", () => {
    expect(verdictOf({ keys: sampleKeys("k2") })).toEqual({ verdict: "valid", body });
    const onlyNew = createScopeKeys({
      active: "k2",
      masters: new Map([["k2", masters.get("k2") ?? new Uint8Array()]]),
    });
    expect(verdictOf({ keys: onlyNew })).toEqual({ verdict: "unverifiable" });
    expect(signReceipt(onlyNew, sampleScope, unsignedReceipt()).body.kid).toBe("k2");
  });

  test("[RE7] tags of unequal length are never equal", () => {
    expect(isEqualTag(new Uint8Array(2), new Uint8Array(3))).toBe(false);
    expect(isEqualTag(new Uint8Array(3), new Uint8Array(2))).toBe(false);
    expect(isEqualTag(new Uint8Array([1, 2]), new Uint8Array([1, 2]))).toBe(true);
  });
});
