/** Reading the deployment's receipt keys. */
import { describe, expect, test } from "vitest";
import { parseReceiptKeys } from "../../src/receipts/receipt-keys.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { masters, sampleScope } from "./receipt-samples.ts";

const key = (fill: number, length = 32): string => Buffer.alloc(length, fill).toString("base64url");

describe("parseReceiptKeys", () => {
  test("[RE2] reads every key; the named one signs", () => {
    const read = parseReceiptKeys(JSON.stringify({ old: key(1), new: key(2) }), "new");
    expect(read).toEqual({
      ok: true,
      value: {
        active: "new",
        masters: new Map([
          ["old", new Uint8Array(32).fill(1)],
          ["new", new Uint8Array(32).fill(2)],
        ]),
      },
    });
  });

  test("[RE2] an only key signs without being named", () => {
    expect(parseReceiptKeys(`{"k":"${key(3)}"}`, undefined)).toMatchObject({ ok: true, value: { active: "k" } });
  });

  test.each([
    [undefined, undefined, "RECEIPT_KEYS"],
    ["{", "k", "RECEIPT_KEYS"],
    ["[]", "k", "RECEIPT_KEYS"],
    ["null", "k", "RECEIPT_KEYS"],
    ["{}", "k", "RECEIPT_KEYS"],
    [`{"k":"${key(1, 31)}"}`, "k", "RECEIPT_KEYS.k"],
    [`{"k":"${key(1, 33)}"}`, "k", "RECEIPT_KEYS.k"],
    [`{"k":"${key(1)}="}`, "k", "RECEIPT_KEYS.k"],
    [`{"k":7}`, "k", "RECEIPT_KEYS.k"],
    [`{"a":"${key(1)}","b":"x"}`, "a", "RECEIPT_KEYS.b"],
    [`{"a b":"${key(1)}"}`, "a b", "RECEIPT_KEYS"],
    [`{"a":"${key(1)}"}`, "b", "RECEIPT_ACTIVE_KID"],
    [`{"a":"${key(1)}"}`, "__proto__", "RECEIPT_ACTIVE_KID"],
    [`{"a":"${key(1)}","b":"${key(2)}"}`, undefined, "RECEIPT_ACTIVE_KID"],
  ])("[RE2] %s with %s is a fault at %s that shows no key", (json, active, path) => {
    const read = parseReceiptKeys(json, active);
    expect(read).toMatchObject({ ok: false, failure: [{ path }] });
    expect(JSON.stringify(read)).not.toContain(key(1).slice(0, 12));
  });

  test("[RE8] scope keys refuse an active kid that has no master, and know no other kid", () => {
    expect(() => createScopeKeys({ active: "gone", masters })).toThrow(/signing key/);
    expect(createScopeKeys({ active: "k1", masters }).tagFor("gone", sampleScope)).toBeUndefined();
  });
});
