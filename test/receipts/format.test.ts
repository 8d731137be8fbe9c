/** The token has one spelling, and what only looks like one is found in prose. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findReceiptTokens,
  formatReceiptToken,
  parseReceiptToken,
  withoutReceiptLine,
  replaceReceiptTokens,
  withReceiptLine,
} from "../../src/receipts/format.ts";

const anyTag = fc.uint8Array({ minLength: 32, maxLength: 32 });
const anyTime = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const token = formatReceiptToken({ at: 1_774_608_496, tag: new Uint8Array(32).fill(251) });

describe("receipt tokens", () => {
  test("[RE4] format and parse are inverse for any tag and time", () => {
    fc.assert(
      fc.property(anyTag, anyTime, (tag, at) => {
        const formatted = formatReceiptToken({ at, tag });
        expect(formatted).toMatch(/^zc-receipt-\d+-[A-Za-z0-9_-]{43}$/);
        expect(parseReceiptToken(formatted)).toEqual({ at, tag });
      }),
    );
  });

  test.each([
    ["", "nothing"],
    [token.slice(0, -1), "a character short"],
    [`${token}A`, "a character long"],
    [`${token}=`, "padded"],
    [`${token}\n`, "a newline behind"],
    [` ${token}`, "a space before"],
    [token.toUpperCase(), "upper case"],
    [token.replace("-1774608496-", "-01774608496-"), "a leading zero"],
    [token.replace("-1774608496-", "--1-"), "a negative time"],
    [token.replace("-1774608496-", "-1e9-"), "a time in another spelling"],
    [token.replace("-1774608496-", "-9007199254740993-"), "a time beyond exact integers"],
    [`${token.slice(0, -1)}9`, "left-over bits"],
    [`${token.slice(0, -4)}+abA`, "the other alphabet"],
  ])("[RE4] %s: %s is malformed", (text) => {
    expect(parseReceiptToken(text)).toBeUndefined();
  });

  test("[RE4] neither a short tag nor a broken time is ever written", () => {
    expect(() => formatReceiptToken({ at: 1, tag: new Uint8Array(31) })).toThrow(/32 bytes/);
    for (const at of [-1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => formatReceiptToken({ at, tag: new Uint8Array(32) })).toThrow(/seconds/);
    }
  });

  test("[RE5] the line stands after a blank one", () => {
    expect(withReceiptLine({ shown: "42", receipt: { token } })).toBe(`42\n\n[receipt: ${token}]`);
    expect(withReceiptLine({ shown: "42" })).toBe("42");
    const shown = withReceiptLine({ shown: "text", receipt: { token } });
    expect(withoutReceiptLine(shown)).toBe("text");
    expect(withoutReceiptLine(`${shown} `)).toBe(`${shown} `);
  });

  test("[RE10] every true token is found whole, whatever markup is around it", () => {
    fc.assert(
      fc.property(anyTag, fc.constantFrom("_", "**", "`", "[", "]", ".", "-", "—", "\n", "é", ")"), (tag, mark) => {
        const made = formatReceiptToken({ at: 1, tag });
        expect(findReceiptTokens(`See ${mark}${made}${mark} there`)).toEqual([made]);
      }),
    );
  });

  test("[RE10] invented ones are found too, in order, whatever their length or case", () => {
    const text = `a zc-receipt-1-abc b ZC-Receipt-x, ${token}AAAA, zc-receipt-<at>-<tag> ${token}`;
    expect(findReceiptTokens(text)).toEqual(["zc-receipt-1-abc", "ZC-Receipt-x", `${token}AAAA`, token]);
    expect(replaceReceiptTokens(text, (found) => (found === token ? found : "?"))).toBe(
      `a ? b ?, ?, zc-receipt-<at>-<tag> ${token}`,
    );
  });
});
