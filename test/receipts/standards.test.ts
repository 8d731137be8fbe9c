/** Published vectors through our own wrappers: a wrapper that swaps, trims or pads anything fails here. */
import { describe, expect, test } from "vitest";
import { decodeBase64url, encodeBase64url } from "../../src/receipts/base64url.ts";
import { canonicalJson } from "../../src/receipts/canonical-json.ts";
import { digestJson, digestText, utf8 } from "../../src/receipts/digest.ts";
import { createTagger, deriveKey, lengthPrefixed } from "../../src/receipts/receipt-scope.ts";
import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { hkdfSync } from "node:crypto";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));

/** RFC 4231 section 4: key, data, HMAC-SHA256. */
const hmacVectors: readonly (readonly [string, string, string])[] = [
  ["0b".repeat(20), "4869205468657265", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  [
    "4a656665",
    "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  ["aa".repeat(20), "dd".repeat(50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
  [
    "0102030405060708090a0b0c0d0e0f10111213141516171819",
    "cd".repeat(50),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
  ],
  [
    "aa".repeat(131),
    Buffer.from("Test Using Larger Than Block-Size Key - Hash Key First").toString("hex"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    "aa".repeat(131),
    Buffer.from(
      "This is a test using a larger than block-size key and a larger than block-size data. " +
        "The key needs to be hashed before being used by the HMAC algorithm.",
    ).toString("hex"),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
];

describe("tags and keys", () => {
  test.each(hmacVectors)("[RE3] RFC 4231: HMAC-SHA256 under key %.20s", (key, data, tag) => {
    const makeTag = createTagger(bytes(key));
    expect(hex(makeTag(bytes(data)))).toBe(tag);
    expect(hex(makeTag(bytes(data)))).toBe(tag);
  });

  test("[RE2] RFC 5869: the extract-and-expand under our wrapper", () => {
    const info = bytes("f0f1f2f3f4f5f6f7f8f9");
    const okm = hkdf(sha256, bytes("0b".repeat(22)), bytes("000102030405060708090a0b0c"), info, 42);
    expect(hex(okm)).toBe("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
    const ours = deriveKey(bytes("0b".repeat(22)), info);
    expect(hex(ours)).toBe(
      Buffer.from(hkdfSync("sha256", bytes("0b".repeat(22)), "countersign", info, 32)).toString("hex"),
    );
  });

  test("[RE2] lengths are four bytes, big-endian, of UTF-8", () => {
    expect(hex(lengthPrefixed(""))).toBe("00000000");
    expect(hex(lengthPrefixed("é"))).toBe("00000002c3a9");
    expect(hex(lengthPrefixed("x".repeat(258)).slice(0, 4))).toBe("00000102");
  });
});

describe("canonical JSON", () => {
  test("[RE3] RFC 8785 section 3.2: numbers, escapes, order", () => {
    const value = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
        String.raw`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(value)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test("[RE3] RFC 8785 section 3.2.3: members by UTF-16 code units", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([4, 2, 6, 7, 1, 5, 3]);
  });

  test("[RE3] RFC 8785 appendix B: what has no JSON form is refused, minus zero is zero", () => {
    expect(canonicalJson(-0)).toBe("0");
    expect(canonicalJson(9007199254740994)).toBe("9007199254740994");
    expect(() => canonicalJson(Number.NaN)).toThrow(/NaN/);
    expect(() => canonicalJson([Number.POSITIVE_INFINITY])).toThrow(/Infinity/);
  });

  test("[RE6] a lone surrogate has neither canonical text nor digest", () => {
    expect(() => canonicalJson({ a: "x\ud83d" })).toThrow(/surrogate/i);
    expect(() => canonicalJson({ "\udc00": 1 })).toThrow(/surrogate/i);
    expect(() => digestText("\ud83d")).toThrow(/surrogate/);
    expect(hex(utf8("😀"))).toBe("f09f9880");
  });

  test("[CP21] a digest depends on content, not on member order or names like __proto__", () => {
    const text = '{"b":1,"__proto__":{"x":1},"a":2}';
    expect(digestJson(JSON.parse(text))).toBe(digestText('{"__proto__":{"x":1},"a":2,"b":1}'));
  });
});

describe("base64url", () => {
  test("[RE4] RFC 4648 section 10, without padding, and back", () => {
    const pairs = { "": "", f: "Zg", fo: "Zm8", foo: "Zm9v", foob: "Zm9vYg", fooba: "Zm9vYmE", foobar: "Zm9vYmFy" };
    for (const [plain, encoded] of Object.entries(pairs)) {
      expect(encodeBase64url(utf8(plain))).toBe(encoded);
      expect(decodeBase64url(encoded)).toEqual(utf8(plain));
    }
    expect(encodeBase64url(bytes("fbff"))).toBe("-_8");
  });

  test.each(["Zg==", "Z", "Zh", "Zm9", "Zm+v", "Zm/v", "Zm 9", "Zé9v"])("[RE4] %s has no other reading", (text) => {
    expect(decodeBase64url(text)).toBeUndefined();
  });
});
